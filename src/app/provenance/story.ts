import { toInstant } from '../../core/check.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { isEndingRecorded, isVersionRecorded } from '../../core/entries/entry-audit.ts'
import { type Assertion, isContained, isWithdrawn } from '../../core/provenance/claim.ts'
import { withoutFullStop } from '../../core/provenance/explain-resolution.ts'
import { entryContentKey } from '../../core/provenance/plan-claim.ts'
import { batchOf, editOf, type SourceEventRecord } from '../../core/provenance/source-event.ts'
import { assertionsAt, versionsAt } from '../../core/provenance/state-at.ts'
import { mapInGroups } from '../event-loop.ts'
import type { Tenant } from '../tenant.ts'
import { type AuditRecordView, auditRecordAt, auditRowAt, toAuditRecordView } from './audit-record-at.ts'
import { compactedInto, derivationOf } from './lineage.ts'
import { assertionsOfEntry, isFromService, type ServiceSourceEvent } from './memory-view.ts'
import { mayReadEvent } from './readable-claims.ts'
import { type ClaimResolution, type ResolutionParts, resolutionOf } from './resolution.ts'
import { decisionSteps, quarantineSteps } from './story-of-decision.ts'
import { importedSteps } from './story-of-import.ts'
import { readersChangeOnce, readersSteps } from './story-of-readers.ts'

/** One step in the history of a memory, with its instant, and the position of the audit record that proves it. */
export type StoryStep = {
  readonly step:
    | 'told'
    | 'edited'
    | 'job'
    | 'asserted'
    | 'redacted'
    | 'readers'
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

/** The steps of an entry in order, and the decision about its content; null when it has no claim. */
export type Story = { readonly steps: readonly StoryStep[]; readonly resolution: ClaimResolution | null }

/**
 * The story of an entry: source event, job, assertion, redactions, resolution, versions. With a moment, what had happened up to that
 * position.
 */
export async function storyOf(tenant: Tenant, entryId: string, moment: number | null = null): Promise<Story> {
  const stored = await tenant.storage.provenance.entryVersions(tenant.id, entryId)
  const versions = moment === null ? stored : versionsAt(stored, moment)
  const newest = versions.at(-1)
  if (newest === undefined) return { steps: [], resolution: null }
  const claimId = newest.classification?.claimId ?? null
  const all = claimId === null ? [] : await tenant.storage.provenance.assertions(tenant.id, claimId)
  const assertions = moment === null ? all : assertionsAt(all, moment)
  const contentKey = entryContentKey(assertions, entryId) ?? undefined
  const stated = await mapInGroups(assertionsOfEntry(assertions, entryId), (item) => sourceSteps(tenant, item))
  const batches = claimId === null ? await batchSteps(tenant, versions) : []
  const written = await mapInGroups(versions, (version) => versionSteps(tenant, version))
  const isCurrent = newest.endedPosition === null
  const question = { assertions, contentKey, isCurrent, moment }
  const resolution = claimId === null ? null : await resolutionOf(tenant, { claimId, ...question })
  const decided = await decisionSteps(tenant, resolution, moment, lastChange(assertions))
  const imported = await importedSteps(tenant, versions)
  const quarantine = await quarantineSteps(tenant, versions)
  const steps = [
    ...stated.flat(),
    ...batches,
    ...readersChangeOnce(written.flat()),
    ...decided,
    ...imported,
    ...quarantine,
  ].sort(byPosition)
  const isPast = ({ position = 0 }: StoryStep) => moment === null || position <= moment
  return { steps: steps.filter(isPast), resolution: resolution && toResolution(resolution) }
}

function toResolution({ parts: _parts, ...resolution }: ClaimResolution & ResolutionParts): ClaimResolution {
  return resolution
}

/** The position of the last change among assertions. */
function lastChange(assertions: readonly Assertion[]): number {
  return assertions.reduce((last, item) => Math.max(last, item.recordedPosition, item.withdrawnPosition ?? 0), 0)
}

const order: readonly StoryStep['step'][] = [
  'told',
  'edited',
  'job',
  'asserted',
  'written',
  'compacted',
  'redacted',
  'readers',
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
  if (event !== null && !(await mayReadEvent(tenant, event))) return []
  const edit = event && editOf(event)
  if (event && edit) return [editedStep(item, event, edit), await assertedStep(tenant, item)]
  const job = event && (await tenant.storage.jobs.get(tenant.id, event.jobId))
  const steps: StoryStep[] = []
  if (event) {
    steps.push(sourceEventStep(event, item.service))
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

/** A scope can have any text: a longer one is no name of a file or a database. */
const importNameMax = 300

/** How an event came: an import of another product names it in the scope. */
function wayOf({ scope }: SourceEventRecord): string {
  const from = scope?.imported_from
  const isName = typeof from === 'string' && from.length <= importNameMax
  return isName ? `imported it from ${from}` : 'sent it'
}

/** The step of a source event: who sent it, and what is known of it. */
function sourceEventStep(event: SourceEventRecord, service: string | null): StoryStep {
  return {
    step: 'told',
    at: toInstant(event.receivedAt),
    position: event.recordedPosition,
    text: `${service ?? event.actor} ${wayOf(event)}${event.eventId === null ? '' : ` in event ${event.eventId}`}, observed ${toInstant(event.observedAt)}.`,
    details: {
      sourceEventId: event.sourceEventId,
      provenance: isFromService(event) ? provenanceOf(event) : null,
      ...(service === null ? { actor: event.actor } : {}),
      payloadHash: event.payloadHash,
      isHashPrivate: event.isHashPrivate,
      payloadState: event.messages === null ? 'redacted' : 'stored',
    },
  }
}

/** The source events of an entry that a writer put, with or without later versions: each event once. */
async function batchSteps(tenant: Tenant, versions: readonly EntryVersion[]): Promise<StoryStep[]> {
  const ids = new Set(versions.flatMap(({ origin }) => ('sourceEventId' in origin && origin.sourceEventId) || []))
  const events = await mapInGroups([...ids], (id) => tenant.storage.provenance.sourceEvent(tenant.id, id))
  const steps: StoryStep[] = []
  for (const event of events)
    if (event !== null && batchOf(event) !== null && (await mayReadEvent(tenant, event)))
      steps.push(sourceEventStep(event, event.service))
  return steps
}

/** The step of an edit: the editor, and the memory that was edited. */
function editedStep(
  { service, recordedPosition }: Assertion,
  event: SourceEventRecord,
  { edits, reason }: NonNullable<ReturnType<typeof editOf>>,
): StoryStep {
  const why = reason === null ? '' : `: ${withoutFullStop(reason)}`
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
  const { service, eventId, sourceEventId, candidate, priority, confidence, trust, withdrawnPosition } = item
  const stated = { service, eventId, sourceEventId, candidate, priority, confidence, trust }
  return {
    step: 'asserted',
    at: (await auditRecordAt(tenant, item.recordedPosition)).at,
    position: item.recordedPosition,
    text: `Stated with priority ${priority} and confidence ${confidence}${sinceThen(item)}.`,
    details: { ...stated, ...(withdrawnPosition === null ? {} : { withdrawnPosition }) },
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
  steps.push(...readersSteps(digested))
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
    // The actor that superseded it wrote another content, which the reader cannot see.
    const isOfOther = endedReason === 'superseded' && tenant.reader !== null
    const by = isOfOther ? {} : { actor: ended.actor, hash: ended.hash }
    const into = await compactedInto(tenant, version)
    const lineage = into === null ? {} : { compactionId: into.compactionId, outputId: into.outputId }
    steps.push({
      step: 'ended',
      at: ended.at,
      position: endedPosition,
      text: isRecorded
        ? `Version ${version.version} ended as ${endedReason}${into === null ? '' : ` into ${into.outputId}`}${isOfOther ? '' : ` by ${ended.actor}`}.`
        : `Version ${version.version} is stored as ended (${endedReason}), but no record of the audit says so.`,
      details: { version: version.version, reason: endedReason, ...by, ...lineage },
    })
  }
  return steps
}

function redactedStep({ at, redactions }: AuditRecordView, position: number): StoryStep {
  const text = `Secrets were redacted before it was stored: ${redactions.map(({ rule }) => rule).join(', ')}.`
  return { step: 'redacted', at, position, text, details: { redactions } }
}

/** A stored version without a matching audit record. Its actor is not known. */
function unexplained({ version, createdAt, recordedPosition }: EntryVersion): StoryStep {
  const text = `Version ${version} is stored, but no record of the audit explains it. Verify the audit with contents.`
  const details = { version, actor: null, hash: null, isRecorded: false }
  return { step: 'version', at: toInstant(createdAt), position: recordedPosition, text, details }
}
