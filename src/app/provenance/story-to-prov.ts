import { invariant } from '../../core/invariant.ts'
import { provProblems } from '../../core/provenance/prov/constraints.ts'
import { type ProvDocument, qualifiedName } from '../../core/provenance/prov/document.ts'
import { escapeUrnPart } from '../../core/urn.ts'
import { CommitsInProv, named } from './prov-commits.ts'
import type { StoryStep } from './story.ts'

/** The provenance of one entry, as `colophon` reads it. */
export type ProvFacts = {
  readonly tenantId: string
  readonly id: string
  /** The agent that the writing client named. */
  readonly agentId: string | null
  readonly story: readonly StoryStep[]
  /** The instant of each position, by the audit. Other clocks can disagree with it. */
  readonly instants: ReadonlyMap<number, string>
  /** Whether the hash of a payload that contained a secret is shown. */
  readonly showsPrivateHashes: boolean
}

/**
 * The story of an entry as a PROV document, in ids, hashes and instants: no text, memoryRef, subject or reason. Each commit is an
 * activity. A document that breaks a constraint of PROV is a bug, and is not returned.
 */
export function storyToProv(facts: ProvFacts): ProvDocument {
  const document = new StoryInProv(facts).document()
  invariant(provProblems(document).length === 0, 'the log of commits is in order, so its provenance is valid PROV')
  return document
}

type Details = StoryStep['details']

class StoryInProv {
  readonly #facts: ProvFacts
  readonly #prov: CommitsInProv
  readonly #memory: string
  /** Assertions in order of position, to find those that a version was made of. */
  readonly #assertions: { readonly id: string; readonly position: number; readonly isWithdrawn: boolean }[] = []
  /** The newest version so far, and its position. */
  #last: { readonly id: string; readonly position: number } | null = null
  /** The entity that has the current text of each version: another one after a redaction. */
  readonly #versions = new Map<unknown, string>()
  readonly #ended = new Set<unknown>()

  constructor(facts: ProvFacts) {
    this.#facts = facts
    this.#prov = new CommitsInProv(facts.tenantId, facts.instants)
    this.#memory = this.#prov.memoryNamed(facts.id)
  }

  document(): ProvDocument {
    for (const { step, position, details } of this.#facts.story)
      if (position !== undefined) this.#steps[step](position, details)
    return this.#prov.document()
  }

  readonly #steps: Readonly<Record<StoryStep['step'], (position: number, details: Details) => void>> = {
    told: (position, details) => this.#addSourceEvent(position, details, 'colophon:Receipt'),
    edited: (position, details) => this.#addEdit(position, details),
    job: (position, { jobId }) => this.#prov.commit(position, 'colophon:Ingestion', named({ 'colophon:jobId': jobId })),
    asserted: (position, details) => this.#addAssertion(position, details),
    written: (position, details) => this.#addRun(position, details),
    compacted: (position, details) => this.#addCompaction(position, details),
    redacted: (position, details) => this.#addRedaction(position, details),
    readers: (position, details) => this.#addReadersChange(position, details),
    version: (position, details) => this.#addVersion(position, details),
    decided: (position, details) => this.#addDecision(position, details),
    ended: (position, details) => this.#addEnding(position, details),
    imported: (position, details) => this.#addImport(position, details),
    released: (position, details) => this.#addReview(position, details),
    rejected: (position, details) => this.#addReview(position, details),
  }

  #addSourceEvent(position: number, details: Details, type: string): void {
    const { sourceEventId, payloadState, actor } = details
    const { service, eventId, observedAt } = (details.provenance ?? {}) as Details
    const commit = this.#prov.commit(position, type)
    const facts = named({
      'colophon:service': service,
      'colophon:eventId': eventId,
      'colophon:observedAt': observedAt,
      'colophon:payloadState': payloadState,
    })
    const event = this.#prov.entity(escapeUrnPart(String(sourceEventId)), 'colophon:SourceEvent', facts)
    this.#prov.generated(event, commit, position)
    const sender = this.#prov.sender(service, actor)
    if (sender !== null) {
      this.#prov.attributed(event, sender)
      this.#prov.associated(commit, sender)
    }
    const hash = details.payloadHash
    const isHidden = details.isHashPrivate === true && !this.#facts.showsPrivateHashes
    if (typeof hash !== 'string' || hash === '' || isHidden) return
    const payload = this.#prov.entity(`payload.${escapeUrnPart(hash)}`, 'colophon:Payload', { 'colophon:hash': hash })
    this.#prov.derived(event, payload)
  }

  /** A person's decision about a memory in quarantine: the commit of the version that it made or ended. */
  #addReview(position: number, { actor }: Details): void {
    if (position === 0 || typeof actor !== 'string') return
    const reviewer = this.#prov.actor(actor)
    if (reviewer !== null) this.#prov.associated(this.#prov.commit(position, 'colophon:Review'), reviewer)
  }

  #addEdit(position: number, details: Details): void {
    this.#addSourceEvent(position, details, 'colophon:Edit')
    const edited = this.#prov.memoryNamed(String(details.edits))
    this.#prov.used(this.#prov.commit(position, 'colophon:Edit'), edited, position)
  }

  #addAssertion(position: number, details: Details): void {
    const { sourceEventId, candidate, service, priority, confidence, trust, withdrawnPosition } = details
    // An event that is erased has no step of its own.
    const event = this.#prov.entity(escapeUrnPart(String(sourceEventId)), 'colophon:SourceEvent')
    const facts = { 'colophon:priority': priority, 'colophon:confidence': confidence, 'colophon:trust': trust }
    const id = this.#prov.entity(
      `${escapeUrnPart(String(sourceEventId))}.assertion.${String(candidate)}`,
      'colophon:Assertion',
      {
        ...named(facts),
        'colophon:supports': qualifiedName(this.#memory),
      },
    )
    const commit = this.#prov.commit(position, 'colophon:Ingestion')
    this.#prov.generated(id, commit, position)
    this.#prov.used(commit, event, position)
    this.#prov.derived(id, event)
    const sender = this.#prov.sender(service, undefined)
    if (sender !== null) this.#prov.attributed(id, sender)
    if (typeof withdrawnPosition === 'number')
      this.#prov.invalidated(id, this.#prov.commit(withdrawnPosition, 'colophon:Withdrawal'), withdrawnPosition)
    this.#assertions.push({ id, position, isWithdrawn: typeof withdrawnPosition === 'number' })
  }

  #addRun(position: number, { runId, nodeId, sequence, agentId, startedBy }: Details): void {
    const facts = { 'colophon:runId': runId, 'colophon:nodeId': nodeId, 'colophon:sequence': sequence }
    const commit = this.#prov.commit(position, 'colophon:RunNode', named(facts))
    const starter = typeof startedBy === 'string' ? this.#prov.actor(startedBy) : null
    if (starter !== null) this.#prov.associated(commit, starter)
    if (typeof agentId !== 'string') return
    const agent = this.#prov.agent(agentId)
    this.#prov.associated(commit, agent)
    if (starter !== null) this.#prov.onBehalf(agent, starter)
  }

  #addCompaction(position: number, { compactionId, summariser, sourceCount, sourceIds }: Details): void {
    const facts = {
      'colophon:compactionId': compactionId,
      'colophon:summariser': summariser,
      'colophon:sourceCount': sourceCount,
    }
    const commit = this.#prov.commit(position, 'colophon:Compaction', named(facts))
    for (const id of (sourceIds ?? []) as readonly string[]) {
      const source = this.#prov.memoryNamed(id)
      this.#prov.used(commit, source, position)
      this.#prov.derived(this.#memory, source)
    }
  }

  /** Before an entry is stored, redaction is part of the commit. A later redaction makes a new entity of the stored version. */
  #addRedaction(position: number, { redactions, version }: Details): void {
    const rules = ((redactions ?? []) as readonly { readonly rule: string }[]).map(({ rule }) => rule)
    const facts = rules.length === 0 ? {} : { 'colophon:rule': rules }
    const commit = this.#prov.commit(position, 'colophon:Redaction', facts)
    const before = this.#versions.get(version)
    if (before === undefined) return
    const after = this.#prov.versionEntity(
      `${before}.redacted.${position}`,
      this.#memory,
      named({ 'colophon:version': version }),
    )
    // A version that had ended is redacted too, because earlier snapshots show it. It cannot end or be used again.
    if (!this.#ended.has(version)) {
      this.#prov.used(commit, before, position)
      this.#prov.invalidated(before, commit, position)
    }
    this.#prov.generated(after, commit, position)
    this.#prov.revised(after, before)
    this.#versions.set(version, after)
    if (this.#last?.id === before) this.#last = { ...this.#last, id: after }
  }

  /** The text stays, so the entity of the version does too. */
  #addReadersChange(position: number, { actor }: Details): void {
    const commit = this.#prov.commit(position, 'colophon:ReadersChange')
    if (typeof actor === 'string' && actor !== 'unknown') this.#prov.associated(commit, this.#prov.actor(actor))
    this.#prov.used(commit, this.#memory, position)
  }

  #addVersion(position: number, { version, actor, hash, trust, isRecorded }: Details): void {
    const id = this.#prov.versionEntity(
      `${this.#memory}.v${String(version)}`,
      this.#memory,
      named({ 'colophon:version': version, 'colophon:trust': trust }),
    )
    this.#versions.set(version, id)
    const before = this.#last
    this.#last = { id, position }
    if (before !== null) this.#prov.revised(id, before.id)
    for (const assertion of this.#assertions)
      if (assertion.position <= position && assertion.position > (before?.position ?? 0))
        this.#prov.derived(id, assertion.id)
    // Without a record in the audit, nothing is known about the commit.
    if (isRecorded === false) return
    const commit = this.#prov.commit(position, 'colophon:Write', named({ 'colophon:auditHash': hash }))
    this.#prov.generated(id, commit, position)
    const author = this.#prov.actor(String(actor))
    this.#prov.associated(commit, author)
    this.#prov.attributed(id, author)
    if (before !== null || this.#facts.agentId === null) return
    const agent = this.#prov.agent(this.#facts.agentId)
    this.#prov.associated(commit, agent)
    this.#prov.onBehalf(agent, author)
  }

  #addDecision(position: number, { claimId }: Details): void {
    const commit = this.#prov.commit(position, 'colophon:Resolution', named({ 'colophon:claimId': claimId }))
    for (const { id, position: stated, isWithdrawn } of this.#assertions)
      if (stated <= position && !isWithdrawn) this.#prov.used(commit, id, position)
  }

  #addEnding(position: number, { version, reason, actor, compactionId, outputId }: Details): void {
    const facts = { 'colophon:endedReason': reason, 'colophon:compactionId': compactionId }
    const commit = this.#prov.commit(position, 'colophon:End', named(facts))
    const id = this.#versions.get(version)
    if (id === undefined) return
    if (typeof actor === 'string' && actor !== 'unknown') this.#prov.associated(commit, this.#prov.actor(actor))
    this.#prov.invalidated(id, commit, position)
    this.#ended.add(version)
    if (typeof outputId === 'string') this.#prov.derived(this.#prov.memoryNamed(outputId), id)
  }

  #addImport(position: number, { tenant, file, recordedThere, actor }: Details): void {
    const there = recordedThere as { readonly position: number; readonly hash: string }
    const facts = {
      'colophon:fromTenant': tenant,
      'colophon:recordedTherePosition': there.position,
      'colophon:recordedThereHash': there.hash,
    }
    const commit = this.#prov.commit(position, 'colophon:Import', named(facts))
    this.#prov.associated(commit, this.#prov.actor(String(actor)))
    if (typeof file !== 'string') return
    const exported = this.#prov.entity(`export.${escapeUrnPart(file)}`, 'colophon:ExportFile')
    this.#prov.used(commit, exported, position)
    this.#prov.derived(this.#memory, exported)
  }
}
