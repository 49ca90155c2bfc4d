import { keyOfActor } from '../../core/access/actor.ts'
import type { Revision } from '../../core/commit/batch.ts'
import { isAlwaysIncluded, markTags } from '../../core/entries/always-include.ts'
import type { EntryVersion, Origin } from '../../core/entries/entry.ts'
import { areSameReaders } from '../../core/entries/readers.ts'
import { isHostTag, withSourceTag } from '../../core/entries/tags.ts'
import { defaultTrust, type Trust, trustAfterReading, writeTrust } from '../../core/entries/trust.ts'
import { invalid } from '../../core/errors.ts'
import { type Classification, defaultClassification } from '../../core/provenance/category.ts'
import { type Assertion, isCounted } from '../../core/provenance/claim.ts'
import type { ClaimState } from '../../core/provenance/claim-plan.ts'
import { entryContentKey, planClaim } from '../../core/provenance/plan-claim.ts'
import { byRank } from '../../core/provenance/resolve-conflict.ts'
import { editPrefix, type NewSourceEvent } from '../../core/provenance/source-event.ts'
import { hashPayload } from '../../core/provenance/source-messages.ts'
import { isBoundTo, priorityFor, type Writer } from '../../core/provenance/writer.ts'
import type { Change } from '../commit.ts'
import { freshContext, loadSettings } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import { slotOfClaim } from './claims.ts'
import { originOf } from './origin-of-event.ts'
import { schedulePayloadRetention } from './payload-retention.ts'
import { contentKeyOf, idsOf, loadClaim, readersPart, toChange } from './plan-claims.ts'
import { trustRulesFor } from './trust-rules.ts'
import { findWriter } from './writers.ts'

/** The caller that makes an edit. */
export type Editor = {
  readonly actor: string
  readonly requestId: string
  /** Whether the editor may pin the edit as the winner of its claim, and mark a memory as always included. */
  readonly mayPin: boolean
}

export type Edit = {
  readonly content: string
  /** 1 to 10; without one, that of the memory. */
  readonly importance?: number | undefined
  readonly reason?: string | undefined
  /** A class below that of the editor. */
  readonly trust?: Trust | undefined
  /** Whether the memory is in every prompt; by default as before, if the editor may set the mark. */
  readonly alwaysInclude?: boolean | undefined
  /** An operator releases the memory from quarantine: the content is verified, but not pinned. */
  readonly isRelease?: true
}

export type PlannedEdit = {
  readonly change: Change
  /** The memory with the content of the edit. */
  readonly entryId: string
}

/**
 * Plans an edit. An edit is an assertion of the editor and is decided like any other, so no content is attributed to a service that
 * did not state it. In a claim with a key it becomes a further content. Without a competing content, the memory keeps its id and the
 * edit becomes its next version.
 */
export async function planEdit(tenant: Tenant, entry: EntryVersion, edit: Edit, editor: Editor): Promise<PlannedEdit> {
  const claimId = entry.classification?.claimId ?? null
  const state = claimId === null ? null : await loadClaim(tenant, claimId)
  if (state === null || state.claim === null) return planPlainEdit(tenant, entry, edit, editor)
  return planClaimEdit(tenant, entry, { ...state, claim: state.claim }, edit, editor)
}

/** The next version of a memory without a claim: a client or a run wrote it, so nothing is decided. */
function planPlainEdit({ system }: Tenant, entry: EntryVersion, edit: Edit, editor: Editor): PlannedEdit {
  const { actor } = editor
  const { memoryRef, entryId, version } = entry
  // A reason is stored with the pin of a claim.
  if (edit.reason !== undefined)
    throw invalid('reason', 'is for a memory that a source stated: this one belongs to no claim')
  const origin: Origin = { kind: 'api', ...keyOfActor(actor) }
  const { sessionId: _other, ...known } = entry.classification ?? defaultClassification
  const importance = edit.importance ?? known.importance
  const revision = {
    memoryRef,
    entryId,
    content: edit.content,
    tags: markTags(withSourceTag(entry.tags, origin), isMarkedAfter(entry, edit, editor)),
    origin,
    revives: entry.endedPosition !== null,
    editorTrust: writeTrust(defaultTrust, edit.trust),
    salt: system.newSalt(),
    classification: { ...known, importance, confidence: 1, sourceEventId: null, observedAt: system.now() },
  }
  const expects = [{ memoryRef, entryId, version: entry.endedPosition === null ? version : 0 }]
  return { change: { kind: 'memory.revised', revisions: [revision], expects }, entryId }
}

/** Whether the edited memory is in every prompt. The mark was set for another text, so it stays only if the editor could set it. */
function isMarkedAfter(entry: EntryVersion, { alwaysInclude }: Edit, { mayPin }: Editor): boolean {
  return alwaysInclude ?? (mayPin && isAlwaysIncluded(entry))
}

type KnownState = ClaimState & { readonly claim: NonNullable<ClaimState['claim']> }

async function planClaimEdit(
  tenant: Tenant,
  entry: EntryVersion,
  state: KnownState,
  edit: Edit,
  editor: Editor,
): Promise<PlannedEdit> {
  const { claim, assertions } = state
  const live = assertions.filter(isCounted)
  const edited = entryContentKey(assertions, entry.entryId)
  const supporters = live.filter(({ contentKey }) => contentKey === edited).sort(byRank)
  const { digest, redaction } = await freshContext(tenant)
  await schedulePayloadRetention(tenant)
  // Contents are compared as they are stored, after redaction.
  const contentKey = keyOfEdit(
    digest,
    state,
    live,
    entry,
    await redaction.redact(({ scan }) => scan(edit.content, () => {})),
  )
  const writer = await writerOf(tenant, supporters, editor)
  const isVerified = edit.reason !== undefined && editor.mayPin
  const isPinned = isVerified && edit.isRelease === undefined
  const own = isVerified ? 'verified' : writer === null ? defaultTrust : 'service'
  const granted = writeTrust(own, edit.trust)
  // An edit repeats what it does not change. Only an operator's reason makes an untrusted memory more than that.
  const trust = isVerified ? granted : trustAfterReading(granted, [entry.trust])
  const event = toEvent(tenant, { entry, subject: claim.subject, edit, editor, writer, trust, last: supporters[0] })
  const { defaultWriterPriority, extractionPayloadRetentionDays } = await loadSettings(tenant.storage, tenant.id)
  const known = entry.classification ?? defaultClassification
  const added = {
    sourceEventId: event.sourceEventId,
    candidate: 0,
    service: event.service,
    eventId: event.eventId,
    actor: event.actor,
    content: edit.content,
    contentKey,
    importance: edit.importance ?? known.importance,
    confidence: 1,
    priority: writer === null ? defaultWriterPriority : priorityFor(writer.authorityRules, claim.category),
    observedAt: event.observedAt,
    trust: event.trust,
    origin: originOf(event),
    tags: markTags(
      entry.tags.filter((tag) => !isHostTag(tag)),
      isMarkedAfter(entry, edit, editor),
    ),
    expiresAt: entry.expiresAt,
    readers: entry.readers,
  }
  const pin = isPinned
    ? { pin: { contentKey, actor: editor.actor, reason: edit.reason ?? '', at: event.receivedAt } }
    : {}
  const isNew = live.every((item) => item.contentKey !== contentKey)
  const competes = claim.claimKey !== null || (claim.pin !== null && !isPinned)
  const replaced = isNew && !competes ? { replaced: entry } : {}
  const change = { added: [added], ...pin, ...replaced }
  const rules = await trustRulesFor(tenant, [...assertions, added])
  const plan = planClaim(slotOfClaim(claim), { ...state, rules }, change, idsOf(tenant.system))
  const rows = toChange([plan])
  const entryId = plan.step.assertions[0]?.entryId ?? entry.entryId
  const { importance } = edit
  const changesImportance =
    !isNew && entryId === entry.entryId && importance !== undefined && importance !== known.importance
  const reweighed = changesImportance ? [reweigh(tenant, entry, { ...known, importance })] : []
  // If the edited memory is forgotten in between, the commit is refused.
  const ingests: Partial<Change> = supporters[0] === undefined ? {} : { ingests: supporters[0].sourceEventId }
  return {
    change: {
      kind: 'memory.revised',
      ...rows,
      revisions: withImportance(rows.revisions, reweighed),
      sourceEvents: [event],
      payloadsRedacted: extractionPayloadRetentionDays === 0 ? [event.sourceEventId] : [],
      ...ingests,
    },
    entryId,
  }
}

/** One version of an entry per commit: a revision that the claim makes anyway gets the importance too. */
function withImportance(revisions: readonly Revision[], reweighed: readonly Revision[]): readonly Revision[] {
  const [other] = reweighed
  const { classification } = other ?? {}
  if (other === undefined || classification === undefined) return revisions
  if (revisions.every(({ entryId }) => entryId !== other.entryId)) return [...revisions, other]
  return revisions.map((revision) => (revision.entryId === other.entryId ? { ...revision, classification } : revision))
}

/** A revision with the same content and origin, and another importance. */
function reweigh({ system }: Tenant, entry: EntryVersion, classification: Classification): Revision {
  const { memoryRef, entryId, content, tags, origin } = entry
  return { memoryRef, entryId, content, tags, origin, classification, revives: false, salt: system.newSalt() }
}

/** The memory of the claim that already had the content of an edit; null when there is none. */
export async function confirmedBy(tenant: Tenant, entry: EntryVersion, content: string): Promise<string | null> {
  const claimId = entry.classification?.claimId ?? null
  if (claimId === null) return null
  const state = await loadClaim(tenant, claimId)
  const { digest, redaction } = await freshContext(tenant)
  const live = state.assertions.filter(isCounted)
  const key = keyOfEdit(digest, state, live, entry, await redaction.redact(({ scan }) => scan(content, () => {})))
  return live.find(({ contentKey, entryId }) => contentKey === key && entryId !== null)?.entryId ?? null
}

/** The content key of an edit, which has the readers of what it edits. An edit that changes only the spelling gets a key of its own, because the editor intended the change. */
function keyOfEdit(
  digest: (text: string) => string,
  { entries }: ClaimState,
  live: readonly Assertion[],
  { readers }: Pick<EntryVersion, 'readers'>,
  content: string,
): string {
  const isSame = (entry: EntryVersion | undefined) =>
    entry?.content === content && areSameReaders(entry.readers, readers)
  const same = live.find(({ entryId }) => entryId !== null && isSame(entries.get(entryId)))
  if (same) return same.contentKey
  const key = contentKeyOf(digest, content, readers)
  return live.some(({ contentKey, entryId }) => contentKey === key && entryId !== null)
    ? digest(`edit.${content}${readersPart(readers)}`).slice(0, 22)
    : key
}

/** The writer of the edited content, if it is bound to the editor's key. Only then is the edit attributed to that writer. */
async function writerOf(tenant: Tenant, supporters: readonly Assertion[], { actor }: Editor): Promise<Writer | null> {
  const { keyId } = keyOfActor(actor)
  if (keyId === undefined) return null
  for (const service of new Set(supporters.map((item) => item.service))) {
    const writer = service === null ? null : await findWriter(tenant, service)
    if (writer?.isActive && isBoundTo(writer, keyId)) return writer
  }
  return null
}

function agentOf(origin: Origin): string | null {
  return (origin.kind === 'api' || origin.kind === 'service' ? origin.agentId : undefined) ?? null
}

/** The largest expected difference between the clocks of two processes. Within it, an edit counts as newer than the edited content. */
const clockSkewMs = 1_000

function toEvent(
  tenant: Tenant,
  parts: {
    readonly entry: EntryVersion
    readonly subject: string
    readonly edit: Edit
    readonly editor: Editor
    readonly writer: Writer | null
    readonly trust: Trust
    readonly last: Assertion | undefined
  },
): NewSourceEvent {
  const { entry, subject, edit, editor, writer, trust, last } = parts
  const messages = [{ role: 'user' as const, content: edit.content }]
  const now = tenant.now()
  const ahead = (last?.observedAt ?? 0) - now
  const sourceEventId = tenant.system.newId('src')
  return {
    sourceEventId,
    service: writer?.serviceKey ?? null,
    eventId: writer === null ? null : `${editPrefix}${sourceEventId}`,
    subject,
    // The agent that the memory belongs to, not the one that stated it.
    agentId: agentOf(entry.origin),
    infer: false,
    observedAt: ahead >= 0 && ahead < clockSkewMs ? now + ahead + 1 : now,
    receivedAt: now,
    payloadHash: hashPayload(messages),
    isHashPrivate: false,
    trust,
    readers: entry.readers,
    salt: tenant.system.newSalt(),
    scope: null,
    evidence: null,
    metadata: { edits: entry.entryId, ...(edit.reason === undefined ? {} : { reason: edit.reason }) },
    messages,
    jobId: '',
    actor: editor.actor,
    requestId: editor.requestId,
  }
}
