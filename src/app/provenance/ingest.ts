import { keyOfActor } from '../../core/access/actor.ts'
import { containmentsOf } from '../../core/containment/selector.ts'
import { alwaysIncludeTag } from '../../core/entries/always-include.ts'
import type { Origin } from '../../core/entries/entry.ts'
import { type Readers, readersKey } from '../../core/entries/readers.ts'
import { lowestTrust, type Trust } from '../../core/entries/trust.ts'
import { ColophonError, isColophonError } from '../../core/errors.ts'
import type { ExtractedMemory } from '../../core/extract/extract.ts'
import type { JobLease } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import type { Category } from '../../core/provenance/category.ts'
import type { Assertion } from '../../core/provenance/claim.ts'
import type { NewAssertion } from '../../core/provenance/claim-plan.ts'
import { confidenceBufferedMin } from '../../core/provenance/resolve-conflict.ts'
import { readersOfMessage, type SourceEventRecord, type SourceMessage } from '../../core/provenance/source-event.ts'
import { priorityFor } from '../../core/provenance/writer.ts'
import { sessionOf } from '../../core/search/session.ts'
import type { TenantSettings } from '../../core/settings.ts'
import type { Extraction } from '../../ports/extractor.ts'
import { loadContainmentState } from '../containment/containment-record.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { freshContext, loadSettings } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import type { TenantContext } from '../tenant-context.ts'
import { capacityOfMarks } from './always-include.ts'
import { contentKeyOf, keylessIdentity, type PlannedChange, planClaims, slotOf, toChange } from './plan-claims.ts'
import { findWriter } from './writers.ts'

/** What an ingest job did with its source event. */
export type IngestResult = {
  readonly memoriesCreated: number
  readonly memoriesSuperseded: number
  readonly memoriesRejected: number
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
  return decideAndCommit(async () => {
    const { extractionPayloadRetentionDays: days, ...settings } = await loadSettings(tenant.storage, tenant.id)
    // Read first: if something is contained afterwards, the commit is refused and this is decided again.
    const context = await freshContext(tenant)
    const redactionVersionRead = context.redaction.version
    const containedBy = containmentsOf(event, (await loadContainmentState(tenant)).active)
    const changes = await toChanges(tenant, event, kept, { ...settings, ...context, containedBy })
    const plans = await planClaims(tenant, changes)
    const result: IngestResult = {
      memoriesCreated: plans.reduce((sum, { created }) => sum + created, 0),
      memoriesSuperseded: plans.reduce((sum, { superseded }) => sum + superseded, 0),
      memoriesRejected: rejected,
      extractor: found.extractor,
      ...usage,
    }
    const payloadsRedacted = days === 0 ? [sourceEventId] : []
    const change = toChange(plans)
    const marked = event.messages?.some(({ alwaysInclude }) => alwaysInclude) ?? false
    const capacities = marked ? await capacityOfMarks(tenant, `subject:${event.subject}`, change) : []
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
  return { memoriesCreated: 0, memoriesSuperseded: 0, memoriesRejected: 0, extractor }
}

type Candidate = ExtractedMemory & { readonly readers: Readers }
type Candidates = Omit<Extraction, 'candidates'> & { readonly candidates: readonly Candidate[] }

/**
 * Runs the extractor on the messages of the same readers together, and never on others: a model could otherwise put the text of one
 * message into what it finds in another.
 */
async function extractByReaders(
  tenant: Tenant,
  event: SourceEventRecord,
  messages: readonly SourceMessage[],
  signal: AbortSignal,
): Promise<Candidates> {
  const numbered = messages.map((message, index) => ({ message, index, readers: readersOfMessage(event, message) }))
  const groups = [...Map.groupBy(numbered, ({ readers }) => readersKey(readers)).values()]
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

/** One candidate per message, with its text unchanged, without an extractor. */
function verbatim(event: SourceEventRecord): Candidates {
  const candidates = (event.messages ?? []).map((message, index): Candidate => {
    const { content, category = 'fact', claimKey = null, confidence = 1 } = message
    return {
      content,
      category: category as Category,
      importance: 5,
      confidence,
      claimKey,
      messages: [index],
      readers: readersOfMessage(event, message),
    }
  })
  return { candidates, extractor: 'verbatim' }
}

/** What an ingest reads before it decides. */
type IngestRules = Pick<TenantSettings, 'defaultWriterPriority'> &
  Pick<Assertion, 'containedBy'> &
  Pick<TenantContext, 'digest' | 'redaction'>

/** Groups the candidates by claim, in the order in which they were found. */
async function toChanges(
  tenant: Tenant,
  event: SourceEventRecord,
  candidates: readonly Candidate[],
  { defaultWriterPriority, containedBy, digest, redaction }: IngestRules,
): Promise<PlannedChange[]> {
  const writer = event.service === null ? null : await findWriter(tenant, event.service)
  const named = sessionOf({ scope: event.scope, sourceEventId: null })
  // Digested, because a client may use any text as a session id, and only equality matters here.
  const session = named === null ? {} : { sessionId: digest(named).slice(0, 22) }
  const byClaim = new Map<string, { slot: PlannedChange['slot']; added: NewAssertion[] }>()
  const cleaned = await redaction.redact(({ scan }) =>
    candidates.map(({ claimKey, content }) => ({
      // A claim key from a model can look like a secret. Then the candidate gets none and competes with no other content.
      claimKey: claimKey === null || scan(claimKey, () => {}) === claimKey ? claimKey : null,
      // Contents are compared as they are stored: texts that differ only in a secret are equal.
      content: scan(content, () => {}),
    })),
  )
  for (const [index, candidate] of candidates.entries()) {
    const { category, importance, confidence, readers } = candidate
    const { claimKey = null, content = '' } = cleaned[index] ?? {}
    const keyless = keylessIdentity(event, { content, index, readers })
    const slot = await slotOf(tenant, { subject: event.subject, category, claimKey }, keyless)
    const added = byClaim.get(slot.claimId)?.added ?? []
    added.push({
      sourceEventId: event.sourceEventId,
      candidate: index,
      service: event.service,
      eventId: event.eventId,
      actor: event.actor,
      content: candidate.content,
      contentKey: contentKeyOf(digest, content, readers),
      importance,
      confidence,
      priority: writer === null ? defaultWriterPriority : priorityFor(writer.authorityRules, category),
      observedAt: event.observedAt,
      trust: lowestTrust(event.trust, ...trustOfMessages(event, candidate)),
      origin: originOf(event),
      tags: candidate.messages.some((at) => event.messages?.[at]?.alwaysInclude) ? [alwaysIncludeTag] : [],
      expiresAt: null,
      ...(containedBy ? { containedBy } : {}),
      readers,
      ...session,
      // A verbatim message without a claim key is stored at any confidence: no second source could confirm it.
      ...(event.infer || claimKey !== null ? {} : { isKeptAlone: true as const }),
    })
    byClaim.set(slot.claimId, { slot, added })
  }
  return [...byClaim.values()].map(({ slot, added }) => ({ slot, change: { added } }))
}

/** The classes of the messages that a candidate was found in, as far as they have their own. */
function trustOfMessages({ messages }: SourceEventRecord, candidate: ExtractedMemory): Trust[] {
  return candidate.messages.flatMap((index) => messages?.[index]?.trust ?? [])
}

/** The origin of memories that come from a source event: its service, or the API key that sent it. */
export function originOf({
  service,
  sourceEventId,
  agentId,
  actor,
}: Pick<SourceEventRecord, 'service' | 'sourceEventId' | 'agentId' | 'actor'>): Origin {
  const key = keyOfActor(actor)
  const agent = agentId === null ? {} : { agentId }
  if (service === null) return { kind: 'api', sourceEventId, ...key, ...agent }
  return { kind: 'service', service, sourceEventId, ...key, ...agent }
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
