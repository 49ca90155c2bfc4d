import { containmentsOf } from '../../core/containment/selector.ts'
import { readersKey } from '../../core/entries/readers.ts'
import { ColophonError, isColophonError } from '../../core/errors.ts'
import type { JobLease } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import type { ClaimPlan } from '../../core/provenance/claim-plan.ts'
import type { Decided, EmptyReason } from '../../core/provenance/decided.ts'
import { confidenceBufferedMin } from '../../core/provenance/resolve-conflict.ts'
import { readersOfMessage, type SourceEventRecord, type SourceMessage } from '../../core/provenance/source-event.ts'
import type { Extraction } from '../../ports/extractor.ts'
import { loadContainmentState } from '../containment/containment-record.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { freshContext, loadSettings } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import { type Candidates, planIngest, verbatim } from './plan-ingest.ts'

/** What an ingest job did with its source event. */
export type IngestResult = {
  readonly memoriesCreated: number
  readonly memoriesSuperseded: number
  readonly memoriesRejected: number
  /** Memories without the mark that their message asks for: their subject has as many marked ones as it may. */
  readonly memoriesUnmarked?: number
  /** What became of each candidate that was kept, in their order. Jobs of earlier versions have none. */
  readonly decided?: readonly Omit<Decided, 'candidate'>[]
  /** Present if no candidate was kept. */
  readonly emptyReason?: EmptyReason
  readonly extractor: string
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number }
}

/**
 * Ingests a source event. The extractor finds candidates; then every claim that they belong to is decided, and stored in one commit
 * with the completion of the job. So the job can be interrupted at any point and repeated, and nothing is stored twice.
 */
export async function ingest(
  tenant: Tenant,
  sourceEventId: string,
  lease: JobLease,
  signal: AbortSignal,
): Promise<IngestResult> {
  const event = await tenant.storage.provenance.sourceEvent(tenant.id, sourceEventId)
  // The event was forgotten since it was received: nothing is stored.
  if (event === null || event.isErased) return nothing('none')
  if (event.isHeldUp) {
    await waitForForget(tenant, lease)
    return nothing('none')
  }
  // Retention deleted the messages while the job was a dead letter. The job fails, instead of reporting that it found nothing.
  if (event.messages === null)
    throw new ColophonError('content_erased', 'The messages of this event are no longer retained.')
  const found = event.infer ? await extractByReaders(tenant, event, event.messages, signal) : verbatim(event)
  const sure = found.candidates.filter(({ confidence }) => !event.infer || confidence >= confidenceBufferedMin)
  const kept = sure.slice(0, limits.candidatesPerEventMax)
  const rejected = found.candidates.length - kept.length + (found.dropped ?? 0)
  const usage = found.usage ? { usage: found.usage } : {}
  const emptyReason = kept.length > 0 ? undefined : emptyReasonOf(event, rejected)
  return decideAndCommit(async () => {
    const { extractionPayloadRetentionDays: days, ...settings } = await loadSettings(tenant.storage, tenant.id)
    // Read first: if something is contained afterwards, the commit is refused and this is decided again.
    const context = await freshContext(tenant)
    const redactionVersionRead = context.redaction.version
    const containedBy = containmentsOf(event, (await loadContainmentState(tenant)).active)
    const planned = await planIngest(tenant, event, kept, { ...settings, ...context, containedBy })
    const { plans, unmarked } = planned
    const result: IngestResult = {
      memoriesCreated: plans.reduce((sum, { created }) => sum + created, 0),
      memoriesSuperseded: plans.reduce((sum, { superseded }) => sum + superseded, 0),
      memoriesRejected: rejected,
      ...(unmarked === 0 ? {} : { memoriesUnmarked: unmarked }),
      decided: decidedInOrder(plans),
      ...(emptyReason === undefined ? {} : { emptyReason }),
      extractor: found.extractor,
      ...usage,
    }
    const payloadsRedacted = days === 0 ? [sourceEventId] : []
    const { change, capacities } = planned
    await tenant.commit(
      { kind: 'memory.written', ...change, payloadsRedacted, capacities, ingests: sourceEventId },
      { actor: event.actor, completes: lease, result, call: { operation: 'ingest' }, redactionVersionRead },
    )
    return result
  }).catch((error: unknown) => {
    // The event was forgotten while the extractor ran: nothing was stored, and the job completes.
    if (isColophonError(error, 'source_event_erased')) return nothing('none')
    throw error
  })
}

/** A forget is erasing other contents of the same claims: the job is put back into the queue for `forgetPauseMs`. */
async function waitForForget(tenant: Tenant, lease: JobLease): Promise<void> {
  const dueAt = tenant.now() + forgetPauseMs
  const park = { jobId: lease.jobId, leaseToken: lease.leaseToken, dueAt, waitsFor: [] }
  await tenant.commit({ kind: 'memory.written', park }, { call: { operation: 'ingest.wait' } })
  lease.spent = true
  tenant.engine.workers.wakeAt(dueAt)
}

const forgetPauseMs = 250

function nothing(extractor: string): IngestResult {
  const counts = { memoriesCreated: 0, memoriesSuperseded: 0, memoriesRejected: 0 }
  return { ...counts, decided: [], emptyReason: 'forgotten', extractor }
}

function emptyReasonOf({ infer, messages }: SourceEventRecord, rejected: number): EmptyReason {
  if (infer && !messages?.some(({ role }) => role === 'user')) return 'no_user_message'
  return rejected > 0 ? 'low_confidence' : 'nothing_found'
}

function decidedInOrder(plans: readonly ClaimPlan[]): NonNullable<IngestResult['decided']> {
  const all = plans.flatMap(({ decided }) => decided).sort((a, b) => a.candidate - b.candidate)
  return all.map(({ candidate: _order, ...decided }) => decided)
}

/**
 * Runs the extractor on the messages of the same readers and class together, and never on others: a model could otherwise put the text of
 * one message into what it finds in another.
 */
async function extractByReaders(
  tenant: Tenant,
  event: SourceEventRecord,
  messages: readonly SourceMessage[],
  signal: AbortSignal,
): Promise<Candidates> {
  const numbered = messages.map((message, index) => ({ message, index, readers: readersOfMessage(event, message) }))
  const keyOf = ({ readers, message }: (typeof numbered)[number]) => `${message.trust ?? ''} ${readersKey(readers)}`
  const groups = [...Map.groupBy(numbered, keyOf).values()]
  const found: Candidates[] = []
  for (const group of groups) {
    const extraction = await tenant.host.extractor.extract(
      group.map(({ message }) => message),
      signal,
    )
    const readers = group[0]?.readers ?? null
    const candidates = extraction.candidates.map((candidate) => ({
      ...candidate,
      readers,
      messages: candidate.messages.map((at) => group[at]?.index ?? at),
    }))
    found.push({ ...extraction, candidates })
  }
  return found.length === 1 && found[0] !== undefined ? found[0] : joined(found)
}

function joined(found: readonly Candidates[]): Candidates {
  const usages = found.flatMap(({ usage }) => usage ?? [])
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return {
    candidates: found.flatMap(({ candidates }) => candidates),
    extractor: found[0]?.extractor ?? 'none',
    dropped: sum(found.map(({ dropped = 0 }) => dropped)),
    ...(usages.length === 0
      ? {}
      : {
          usage: {
            inputTokens: sum(usages.map(({ inputTokens }) => inputTokens)),
            outputTokens: sum(usages.map(({ outputTokens }) => outputTokens)),
          },
        }),
  }
}

/** Runs the extractor on messages and returns the candidates, redacted. Stores nothing. */
export async function previewExtraction(
  tenant: Tenant,
  messages: readonly SourceMessage[],
  signal: AbortSignal,
): Promise<Extraction> {
  const { redaction } = await freshContext(tenant)
  // Redacted before the extractor reads them, because it may be a model on another machine.
  const clean = await redaction.redact(({ scan }) =>
    messages.map((message) => ({ ...message, content: scan(message.content, () => {}) })),
  )
  const found = await tenant.host.extractor.extract(clean, signal)
  const candidates = await redaction.redact(({ scan }) =>
    found.candidates.map((item) => ({ ...item, content: scan(item.content, () => {}) })),
  )
  return { ...found, candidates }
}
