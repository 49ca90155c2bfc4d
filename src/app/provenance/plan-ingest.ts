import type { Capacity } from '../../core/commit/parts/capacities.ts'
import { alwaysIncludeTag } from '../../core/entries/always-include.ts'
import type { Readers } from '../../core/entries/readers.ts'
import { lowestTrust, type Trust } from '../../core/entries/trust.ts'
import type { ExtractedMemory } from '../../core/extract/extract.ts'
import type { Category } from '../../core/provenance/category.ts'
import type { Assertion } from '../../core/provenance/claim.ts'
import type { ClaimPlan, NewAssertion } from '../../core/provenance/claim-plan.ts'
import { roleTag } from '../../core/provenance/said-by.ts'
import { readersOfMessage, type SourceEventRecord } from '../../core/provenance/source-event.ts'
import { priorityFor } from '../../core/provenance/writer.ts'
import { sessionOf } from '../../core/search/session.ts'
import type { TenantSettings } from '../../core/settings.ts'
import type { Extraction } from '../../ports/extractor.ts'
import type { Tenant } from '../tenant.ts'
import type { TenantContext } from '../tenant-context.ts'
import { countMarks } from './always-include.ts'
import { originOf } from './origin-of-event.ts'
import { contentKeyOf, keylessIdentity, type PlannedChange, planClaims, slotOf, toChange } from './plan-claims.ts'
import { findWriter } from './writers.ts'

/** An event that is stored, or about to be. */
type StatedEvent = Omit<SourceEventRecord, 'recordedPosition'>

/** What was found in the messages of an event. */
export type Candidate = ExtractedMemory & { readonly readers: Readers }
export type Candidates = Omit<Extraction, 'candidates'> & { readonly candidates: readonly Candidate[] }

/** One candidate per message, with its text unchanged, without an extractor. */
export function verbatim(event: Pick<SourceEventRecord, 'messages' | 'readers'>): Candidates {
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

type IngestPlan = {
  readonly plans: readonly ClaimPlan[]
  readonly change: ReturnType<typeof toChange>
  readonly capacities: readonly Capacity[]
  /** How many candidates did not get the mark that their message asks for. */
  readonly unmarked: number
}

/**
 * Plans the claims of the candidates. If the subject would have more marked memories than it may, the last candidates are planned without the mark:
 * a text that was accepted is stored.
 */
export async function planIngest(
  tenant: Tenant,
  event: StatedEvent,
  candidates: readonly Candidate[],
  rules: IngestRules,
): Promise<IngestPlan> {
  const marked = candidates.filter(({ messages }) => messages.some((at) => event.messages?.[at]?.alwaysInclude))
  for (let kept = marked.length; ; ) {
    const plans = await planClaims(
      tenant,
      await toChanges(tenant, event, candidates, new Set(marked.slice(0, kept)), rules),
    )
    const change = toChange(plans)
    const unmarked = marked.length - kept
    // A memory that was marked before can become current again without a new mark.
    if (kept === 0) return { plans, change, capacities: [], unmarked }
    const { capacity, excess } = await countMarks(tenant, `subject:${event.subject}`, change)
    if (excess === 0) return { plans, change, capacities: [capacity], unmarked }
    kept = Math.max(0, kept - excess)
  }
}

/** What an ingest reads before it decides. */
type IngestRules = Pick<TenantSettings, 'defaultWriterPriority'> &
  Pick<Assertion, 'containedBy'> &
  Pick<TenantContext, 'digest' | 'redaction'>

/** Groups the candidates by claim, in the order in which they were found. */
async function toChanges(
  tenant: Tenant,
  event: StatedEvent,
  candidates: readonly Candidate[],
  marked: ReadonlySet<Candidate>,
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
      tags: [...(marked.has(candidate) ? [alwaysIncludeTag] : []), ...roleTags(event, candidate)],
      expiresAt: null,
      ...(containedBy ? { containedBy } : {}),
      readers,
      ...session,
      // A verbatim message is a statement of its writer. The threshold of confidence is for readings of an extractor.
      ...(event.infer ? {} : { isKeptAlone: true as const }),
    })
    byClaim.set(slot.claimId, { slot, added })
  }
  return [...byClaim.values()].map(({ slot, added }) => ({ slot, change: { added } }))
}

/** Extraction finds what people say. A message that is stored as it is may be that of a model or of a program. */
function roleTags({ infer, messages }: StatedEvent, { messages: [index = 0] }: ExtractedMemory): readonly string[] {
  const role = messages?.[index]?.role ?? 'user'
  return infer || role === 'user' ? [] : [roleTag(role)]
}

/** The classes of the messages that a candidate was found in, as far as they have their own. */
function trustOfMessages({ messages }: StatedEvent, candidate: ExtractedMemory): Trust[] {
  return candidate.messages.flatMap((index) => messages?.[index]?.trust ?? [])
}
