import type { Decided, EmptyReason } from '../../core/provenance/decided.ts'
import { confidenceBufferedMin, confidenceKeptMin } from '../../core/provenance/resolve-conflict.ts'
import type { Tenant } from '../tenant.ts'
import { findReadable } from './find-memories.ts'
import type { IngestResult } from './ingest.ts'
import { type Memory, toMemories } from './memory-view.ts'

/** What became of one candidate, with the reason in words. */
export type ExplainedDecision = Pick<Decided, 'memoryId' | 'outcome' | 'over' | 'by'> & {
  /** The memory is current now, and lists, searches and prompts leave it out. */
  readonly quarantined?: true
  readonly why: string
}

/** The result of an ingest job for the reader of a handle. */
export type ExplainedResult = Omit<IngestResult, 'decided' | 'emptyReason'> & {
  readonly decided?: readonly ExplainedDecision[]
  /** Why no memory was created. */
  readonly why?: string
}

type Stored = Omit<Decided, 'candidate'>

/**
 * Explains the result of an ingest job. Another memory is described only if the reader can see it now, and a reader does not learn the id of
 * one that it cannot see.
 */
export async function explainResult(tenant: Tenant, result: IngestResult): Promise<ExplainedResult> {
  const { decided, emptyReason, ...counts } = result
  // A superseded memory may be one that the reader cannot see.
  const shown = tenant.reader === null ? counts : { ...counts, memoriesSuperseded: 0 }
  if (decided === undefined) return shown
  const others = await findReadable(
    tenant,
    decided.flatMap((item) => [otherOf(item), item.memoryId]).filter((id) => id !== undefined && id !== null),
  )
  const memories = await toMemories(tenant, others, Number.MAX_SAFE_INTEGER)
  const known = new Map(memories.map((memory) => [memory.id, memory]))
  const explained = decided.map((item) => explain(item, known, tenant.reader === null))
  const why = counts.memoriesCreated > 0 ? undefined : whyNone(explained, emptyReason)
  return { ...shown, decided: explained, ...(why === undefined ? {} : { why }) }
}

function otherOf({ over, by }: Stored): string | undefined {
  return by ?? over
}

function explain(item: Stored, known: ReadonlyMap<string, Memory>, seesAll: boolean): ExplainedDecision {
  const { memoryId, outcome } = item
  const own = known.get(memoryId ?? '')
  const other = known.get(otherOf(item) ?? '')
  const isNamed = seesAll || other !== undefined
  const { over, by } = isNamed ? item : {}
  const ids = { ...(over === undefined ? {} : { over }), ...(by === undefined ? {} : { by }) }
  const why = whyOf(item, over, other)
  if (own?.isQuarantined !== true) return { memoryId, outcome, ...ids, why }
  return { memoryId, outcome, ...ids, quarantined: true, why: `${why} ${quarantineOf(own)}` }
}

function quarantineOf({ trust }: Memory): string {
  return `It is in quarantine, because its class is ${trust}: reads leave it out until a person releases it.`
}

function whyOf(item: Stored, over: string | undefined, other: Memory | undefined): string {
  switch (item.outcome) {
    case 'current':
      return over === undefined
        ? 'It is current: no other content outranks it.'
        : `It superseded ${nameOf(other)}${reasonOf(item, other)}.`
    case 'overruled':
      return `${sentence(nameOf(other))} outranks it${reasonOf(item, other)}.`
    case 'confirmed':
      return 'It was known: it has one more source now.'
    case 'buffered':
      return `Its confidence is below ${confidenceKeptMin}: it is remembered once a second writer states it.`
    case 'contained':
      return 'A containment covers its source: it does not count.'
  }
}

function nameOf(other: Memory | undefined): string {
  if (other === undefined) return 'another content'
  return other.service === null ? `the memory ${other.id}` : `the memory ${other.id} of ${other.service}`
}

/** Figures only about a memory that the reader can see. */
function reasonOf({ rule, won, lost }: Stored, other: Memory | undefined): string {
  if (other === undefined || rule === undefined) return ''
  switch (rule) {
    case 'pin':
      return ': it is pinned'
    case 'order':
      return ': priority, time and confidence are equal, and the order of service and event decided'
    case 'observed':
      return `: observed later (${won}) than ${lost}`
    case 'trust':
      return `: class ${won} over ${lost}`
    case 'priority':
    case 'confidence':
      return `: ${rule} ${won} over ${lost}`
  }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const emptyWhy: Readonly<Record<EmptyReason, string>> = {
  no_user_message: 'No message is from a user: memories are extracted from those only.',
  nothing_found: 'Nothing to remember was found in the messages.',
  low_confidence: `What was found has a confidence below ${confidenceBufferedMin}.`,
  forgotten: 'The source event was forgotten before it was ingested.',
}

/** Why a job created no memory: the reason of its only candidate, or how many had which outcome. */
function whyNone(decided: readonly ExplainedDecision[], reason: EmptyReason | undefined): string | undefined {
  if (reason !== undefined) return emptyWhy[reason]
  const [first, ...others] = decided
  if (first === undefined) return undefined
  if (others.length === 0) return first.why
  const counts = [...Map.groupBy(decided, ({ outcome }) => outcome)].map(([outcome, all]) => `${all.length} ${outcome}`)
  return `${counts.join(', ')}: see decided.`
}
