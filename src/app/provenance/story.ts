import { toInstant } from '../../core/check.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { isEndingRecorded, isVersionRecorded } from '../../core/entries/entry-audit.ts'
import { isBelow, type Trust } from '../../core/entries/trust.ts'
import { type Assertion, isContained, isWithdrawn } from '../../core/provenance/claim.ts'
import { entryContentKey } from '../../core/provenance/plan-claim.ts'
import { type RankedContent, resolveClaim } from '../../core/provenance/resolve-conflict.ts'
import { editOf, type SourceEventRecord } from '../../core/provenance/source-event.ts'
import type { Tenant } from '../tenant.ts'
import { type AuditRecordView, auditRecordAt, auditRowAt, toAuditRecordView } from './audit-record-at.ts'
import { compactedInto, derivationOf } from './lineage.ts'
import { assertionsOfEntry, isFromService, type ServiceSourceEvent } from './memory-view.ts'
import { findDecision } from './quarantine.ts'
import { importedSteps } from './story-of-import.ts'
import { trustRulesFor } from './trust-rules.ts'

/** One step in the history of a memory, with its instant, and the position of the audit record that proves it. */
export type StoryStep = {
  readonly step:
    | 'told'
    | 'edited'
    | 'job'
    | 'asserted'
    | 'redacted'
    | 'decided'
    | 'version'
    | 'ended'
    | 'written'
    | 'compacted'
    | 'imported'
    | 'released'
    | 'rejected'
  readonly at: string
  readonly position?: number
  readonly text: string
  readonly details: Readonly<Record<string, unknown>>
}

/** The story of an entry in order: source event, job, assertion, redactions, decision, versions. */
export async function storyOf(tenant: Tenant, entryId: string): Promise<readonly StoryStep[]> {
  const versions = await tenant.storage.provenance.entryVersions(tenant.id, entryId)
  const newest = versions.at(-1)
  if (newest === undefined) return []
  const claimId = newest.classification?.claimId ?? null
  const assertions = claimId === null ? [] : await tenant.storage.provenance.assertions(tenant.id, claimId)
  const contentKey = entryContentKey(assertions, entryId) ?? undefined
  const stated = await Promise.all((await assertionsOfEntry(tenant, newest)).map((item) => sourceSteps(tenant, item)))
  const written = await Promise.all(versions.map((version) => versionSteps(tenant, version)))
  const decided = claimId === null ? [] : await decision(tenant, claimId, assertions, contentKey)
  const imported = await importedSteps(tenant, versions)
  const quarantine = await quarantineSteps(tenant, versions)
  return [...stated.flat(), ...written.flat(), ...decided, ...imported, ...quarantine].sort(byPosition)
}

const order: readonly StoryStep['step'][] = [
  'told',
  'edited',
  'job',
  'asserted',
  'written',
  'compacted',
  'redacted',
  'version',
  'decided',
  'ended',
  'imported',
  'released',
  'rejected',
]

function byPosition(a: StoryStep, b: StoryStep): number {
  const [left, right] = [a.position ?? 0, b.position ?? 0]
  return left - right || order.indexOf(a.step) - order.indexOf(b.step)
}

async function sourceSteps(tenant: Tenant, item: Assertion): Promise<StoryStep[]> {
  const event = await tenant.storage.provenance.sourceEvent(tenant.id, item.sourceEventId)
  const edit = event && editOf(event)
  if (event && edit) return [editedStep(item, event, edit), await assertedStep(tenant, item)]
  const job = event && (await tenant.storage.jobs.get(tenant.id, event.jobId))
  const sender = item.service ?? event?.actor ?? 'unknown'
  const steps: StoryStep[] = []
  if (event) {
    steps.push({
      step: 'told',
      at: toInstant(event.receivedAt),
      position: event.recordedPosition,
      text: `${sender} sent it${event.eventId === null ? '' : ` in event ${event.eventId}`}, observed ${toInstant(event.observedAt)}.`,
      details: {
        sourceEventId: event.sourceEventId,
        provenance: isFromService(event) ? provenanceOf(event) : null,
        ...(item.service === null ? { actor: event.actor } : {}),
        payloadHash: event.payloadHash,
        isHashPrivate: event.isHashPrivate,
        payloadState: event.messages === null ? 'redacted' : 'stored',
      },
    })
    const received = await auditRecordAt(tenant, event.recordedPosition)
    if (received.redactions.length > 0) steps.push(redactedStep(received, event.recordedPosition))
    const done = job?.endedAt ?? null
    steps.push({
      step: 'job',
      at: toInstant(done ?? event.receivedAt),
      position: item.recordedPosition,
      text: `Job ${event.jobId} ingested it${job === null ? '' : ` (${job.status}, ${job.attempts} attempt${job.attempts === 1 ? '' : 's'})`}.`,
      details: { jobId: event.jobId, status: job?.status ?? 'unknown' },
    })
  }
  return [...steps, await assertedStep(tenant, item)]
}

/** The step of an edit: the editor, and the memory that was edited. */
function editedStep(
  { service, recordedPosition }: Assertion,
  event: SourceEventRecord,
  { edits, reason }: NonNullable<ReturnType<typeof editOf>>,
): StoryStep {
  const why = reason === null ? '' : `: ${reason.replace(/[\s.]+$/, '')}`
  return {
    step: 'edited',
    at: toInstant(event.receivedAt),
    position: recordedPosition,
    text: `${service === null ? event.actor : `${service} (${event.actor})`} edited ${edits}${why}.`,
    details: {
      sourceEventId: event.sourceEventId,
      edits,
      actor: event.actor,
      provenance: isFromService(event) ? provenanceOf(event) : null,
    },
  }
}

async function assertedStep(tenant: Tenant, item: Assertion): Promise<StoryStep> {
  const record = await auditRecordAt(tenant, item.recordedPosition)
  return {
    step: 'asserted',
    at: record.at,
    position: item.recordedPosition,
    text: `Stated with priority ${item.priority} and confidence ${item.confidence}${sinceThen(item)}.`,
    details: {
      service: item.service,
      eventId: item.eventId,
      sourceEventId: item.sourceEventId,
      candidate: item.candidate,
      priority: item.priority,
      confidence: item.confidence,
      trust: item.trust,
      ...(item.withdrawnPosition === null ? {} : { withdrawnPosition: item.withdrawnPosition }),
    },
  }
}

function sinceThen(item: Assertion): string {
  if (isContained(item)) return '; contained since'
  return isWithdrawn(item) ? '; withdrawn since' : ''
}

function provenanceOf({ service, eventId, observedAt, receivedAt, payloadHash, scope, evidence }: ServiceSourceEvent) {
  const moments = { observedAt: toInstant(observedAt), receivedAt: toInstant(receivedAt) }
  return { service, eventId, ...moments, payloadHash, scope, ...(evidence === null ? {} : { evidence }) }
}

async function versionSteps(tenant: Tenant, version: EntryVersion): Promise<StoryStep[]> {
  const { recordedPosition, endedPosition, endedReason, origin, digestPosition } = version
  const rowAt = (position: number) => auditRowAt(tenant, position)
  const [written, digested] = await Promise.all([rowAt(recordedPosition), rowAt(digestPosition)])
  if (!isVersionRecorded(digested, version)) return [unexplained(version)]
  const record = toAuditRecordView(written)
  const steps: StoryStep[] = []
  if (version.version === 1 && (origin.kind === 'run' || origin.kind === 'session')) {
    const run = await tenant.storage.runs.get(tenant.id, origin.runId)
    const node = origin.nodeId === undefined ? '' : `, node ${origin.nodeId}`
    steps.push({
      step: 'written',
      at: record.at,
      position: recordedPosition,
      text: `Run ${origin.runId}${node} wrote it as event ${origin.sequence}.`,
      details: { ...origin, startedBy: run?.facts.actor ?? null },
    })
  }
  const derivation = version.version === 1 ? await derivationOf(tenant, origin) : null
  if (derivation !== null) {
    steps.push({
      step: 'compacted',
      at: record.at,
      position: recordedPosition,
      text: `Compaction ${derivation.compactionId} made it of ${derivation.sourceCount} entries (${derivation.summariser}).`,
      details: { ...derivation },
    })
  }
  if (record.redactions.length > 0) steps.push(redactedStep(record, recordedPosition))
  steps.push({
    step: 'version',
    at: record.at,
    position: recordedPosition,
    text: `Version ${version.version} was recorded at position ${recordedPosition} by ${record.actor}.`,
    details: { version: version.version, actor: record.actor, hash: record.hash, trust: version.trust },
  })
  const rewritten = toAuditRecordView(digested)
  if (rewritten.kind === 'memory.redacted') {
    steps.push({
      step: 'redacted',
      at: rewritten.at,
      position: digestPosition,
      text: `Version ${version.version} was redacted again: secrets or rules were added after it was stored.`,
      details: { version: version.version, redactions: rewritten.redactions, actor: rewritten.actor },
    })
  }
  if (endedPosition !== null) {
    const row = await rowAt(endedPosition)
    const isRecorded = isEndingRecorded([row, written, digested], version)
    const ended = toAuditRecordView(isRecorded ? row : undefined)
    const into = await compactedInto(tenant, version)
    const lineage = into === null ? {} : { compactionId: into.compactionId, outputId: into.outputId }
    steps.push({
      step: 'ended',
      at: ended.at,
      position: endedPosition,
      text: isRecorded
        ? `Version ${version.version} ended as ${endedReason}${into === null ? '' : ` into ${into.outputId}`} by ${ended.actor}.`
        : `Version ${version.version} is stored as ended (${endedReason}), but no record of the audit says so.`,
      details: { version: version.version, reason: endedReason, actor: ended.actor, hash: ended.hash, ...lineage },
    })
  }
  return steps
}

async function decision(
  tenant: Tenant,
  claimId: string,
  assertions: readonly Assertion[],
  contentKey: string | undefined,
): Promise<StoryStep[]> {
  const claim = await tenant.storage.provenance.claim(tenant.id, claimId)
  if (claim === null) return []
  const rules = await trustRulesFor(tenant, assertions)
  const { contents, winner } = resolveClaim(assertions, claim.pin, rules)
  const own = contents.find((content) => content.contentKey === contentKey)
  const others = contents.filter((content) => content !== own && content.isKept)
  if (own === undefined || (others.length === 0 && claim.pin === null)) return []
  const isWinner = own === winner
  const rival = isWinner ? others[0] : winner
  const why = claim.pin
    ? `${claim.pin.actor} decided: ${claim.pin.reason.replace(/[\s.]+$/, '')}`
    : rival
      ? reasonBetween(own, rival, isWinner, rules.floorWin)
      : ''
  const record = await auditRecordAt(tenant, claim.updatedPosition)
  return [
    {
      step: 'decided',
      at: record.at,
      position: claim.updatedPosition,
      text: `${isWinner ? 'It won' : 'It lost'} against ${others.length} other${others.length === 1 ? '' : 's'}: ${why}.`,
      details: { claimId, claimKey: claim.claimKey, winner: claim.winner, pinned: claim.pin !== null },
    },
  ]
}

/** The last decision of a person about a memory in quarantine. */
async function quarantineSteps(tenant: Tenant, versions: readonly EntryVersion[]): Promise<StoryStep[]> {
  const decided = await findDecision(tenant, versions.at(-1)?.entryId ?? '')
  if (decided === null) return []
  const { decision, reason, by, version } = decided
  const at = decision === 'released' ? version + 1 : version
  const about = versions.find((item) => item.version === at) ?? versions.at(-1)
  const position = (decision === 'released' ? about?.recordedPosition : about?.endedPosition) ?? 0
  const record = await auditRecordAt(tenant, position)
  const text = `${by} ${decision} it from quarantine: ${reason.replace(/[\s.]+$/, '')}.`
  return [{ step: decision, at: record.at, position, text, details: { actor: by, reason } }]
}

/** The first rule in which two contents differ: it decided between them. */
function reasonBetween(own: RankedContent, rival: RankedContent, isWinner: boolean, floorWin: Trust): string {
  const [first, second] = isWinner ? [own, rival] : [rival, own]
  if (isBelow(second.trust, floorWin) && first.trust !== second.trust)
    return `class ${first.trust} over ${second.trust}, which is below the floor ${floorWin}`
  const [won, lost] = [first.best, second.best]
  if (won.priority !== lost.priority) return `priority ${won.priority} over ${lost.priority}`
  if (won.observedAt !== lost.observedAt) return `observed later (${toInstant(won.observedAt)})`
  if (won.confidence !== lost.confidence) return `confidence ${won.confidence} over ${lost.confidence}`
  return 'equal in priority, time and confidence; the order of service and event decided'
}

function redactedStep({ at, redactions }: AuditRecordView, position: number): StoryStep {
  const rules = redactions.map(({ rule }) => rule).join(', ')
  const text = `Secrets were redacted before it was stored: ${rules}.`
  return { step: 'redacted', at, position, text, details: { redactions } }
}

/** A stored version without a matching audit record. Its actor is not known. */
function unexplained({ version, createdAt, recordedPosition }: EntryVersion): StoryStep {
  const text = `Version ${version} is stored, but no record of the audit explains it. Verify the audit with contents.`
  const details = { version, actor: null, hash: null, isRecorded: false }
  return { step: 'version', at: toInstant(createdAt), position: recordedPosition, text, details }
}
