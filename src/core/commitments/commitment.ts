import { isExpired } from '../entries/as-of.ts'
import type { EntryVersion } from '../entries/entry.ts'
import { isBelow, type Trust } from '../entries/trust.ts'
import { limits } from '../limits.ts'
import { commitmentsPrefix } from '../names.ts'
import { normaliseText } from './sentence-text.ts'

/** What a commitment waits for: an instant, or that an entry of the ref asserts a statement. */
export type CommitmentCondition =
  | { readonly kind: 'time'; readonly dueAt: number }
  | { readonly kind: 'predicate'; readonly statement: string; readonly since: number }

export const fireConditions = ['time', 'predicate'] as const

export type CommitmentStatus = 'waiting' | 'fired' | 'cancelled' | 'ended'

/**
 * An intention that the host acts on later. It is an entry of the ref `commitments:<memoryRef>`, so that versions, redaction, readers, forget,
 * export and audit are those of memory. Its lines are the intention, the statement that it waits for, and the sentence that it was inferred
 * from. Its tags have the rest. Its id ends with the id of the entry that it comes from.
 */
export type Commitment = {
  readonly commitmentId: string
  readonly memoryRef: string
  /** The entry that it comes from; null for one that a client made without an entry. */
  readonly memoryId: string | null
  readonly intention: string
  readonly condition: CommitmentCondition
  readonly status: CommitmentStatus
  /** The sentence and the rule that it was inferred from; null for one that a client made. */
  readonly inferred: { readonly sentence: string; readonly rule: string } | null
  readonly workflowId: string | null
  /** The reader of the client that stored or last edited it, or wrote its entry: the run that it starts sees no more. Null for any. */
  readonly reader: string | null
  /** A keyed digest of the tenant. A commitment that was imported has another one, and starts nothing until a client changes it. */
  readonly armed: string
  /** The job that fires it. A job that is not named any more does nothing. */
  readonly jobId: string
  readonly firedAt: number | null
  /** The maintenance run whose log has the event. */
  readonly runId: string | null
  readonly startedRunId: string | null
  readonly reason: string | null
}

export function refOfCommitments(memoryRef: string): string {
  return `${commitmentsPrefix}${memoryRef}`
}

/** Whether the ref of the commitments of a ref is short enough. */
export function canHaveCommitments(memoryRef: string): boolean {
  return refOfCommitments(memoryRef).length <= limits.memoryRefCharactersMax
}

const separator = '.'

/** The id of a commitment: its own part, and the entry that it comes from. */
export function toCommitmentId(own: string, memoryId: string | null): string {
  return memoryId === null ? own : `${own}${separator}${memoryId}`
}

function memoryIdOf(commitmentId: string): string | null {
  const at = commitmentId.indexOf(separator)
  return at < 0 ? null : commitmentId.slice(at + 1)
}

/** Numbers and instants are written so that no rule takes them for a date or a phone number. */
const toTag = (name: string, value: number) => `${name}:${value.toString(36)}`

/** The text and the tags of the entry. */
export function toEntryText(commitment: Commitment): { readonly content: string; readonly tags: readonly string[] } {
  const { intention, condition, inferred, status, workflowId, reader, armed, jobId } = commitment
  const { firedAt, runId, startedRunId, reason } = commitment
  const statement = condition.kind === 'predicate' ? condition.statement : ''
  return {
    content: [intention, statement, inferred?.sentence ?? ''].join('\n'),
    tags: [
      `status:${status}`,
      ...(condition.kind === 'time' ? [toTag('due', condition.dueAt)] : [toTag('since', condition.since)]),
      `armed:${armed}`,
      `job:${jobId}`,
      ...(inferred === null ? [] : [`rule:${inferred.rule}`]),
      ...(workflowId === null ? [] : [`workflow:${workflowId}`]),
      ...(reader === null ? [] : [`reader:${reader}`]),
      ...(firedAt === null ? [] : [toTag('fired', firedAt)]),
      ...(runId === null ? [] : [`run:${runId}`]),
      ...(startedRunId === null ? [] : [`started:${startedRunId}`]),
      ...(reason === null ? [] : [`reason:${reason}`]),
    ],
  }
}

/** The tag of the commitments that wait. */
export const waitingTag = 'status:waiting'

/** The commitment of an entry. */
export function toCommitment({ entryId, memoryRef, content, tags }: EntryVersion): Commitment {
  const named = (name: string) => tags.find((tag) => tag.startsWith(`${name}:`))?.slice(name.length + 1) ?? null
  const numbered = (name: string) => {
    const text = named(name)
    return text === null ? null : Number.parseInt(text, 36)
  }
  const [intention = '', statement = '', sentence = ''] = content.split('\n')
  const dueAt = numbered('due')
  return {
    commitmentId: entryId,
    memoryRef: memoryRef.slice(commitmentsPrefix.length),
    memoryId: memoryIdOf(entryId),
    intention,
    condition:
      dueAt === null ? { kind: 'predicate', statement, since: numbered('since') ?? 0 } : { kind: 'time', dueAt },
    status: (named('status') ?? 'ended') as CommitmentStatus,
    inferred: sentence === '' ? null : { sentence, rule: named('rule') ?? '' },
    workflowId: named('workflow'),
    reader: named('reader'),
    armed: named('armed') ?? '',
    jobId: named('job') ?? '',
    firedAt: numbered('fired'),
    runId: named('run'),
    startedRunId: named('started'),
    reason: named('reason'),
  }
}

/** What a client sees as the state of a commitment, and why. */
export type CommitmentState = {
  readonly status: CommitmentStatus | 'quarantined' | 'paused'
  readonly reason: string | null
}

/** Reasons of an end after which the text of an entry still counts: it is part of another entry now. */
const keptReasons: ReadonlySet<string> = new Set(['compacted', 'consolidated', 'distilled', 'merged'])

/**
 * The state of a commitment that is stored as waiting follows from the entry that it comes from, as that entry is now: it ends with the entry,
 * and does nothing while the entry is in quarantine.
 */
export function stateOf(
  { status, reason, memoryId, inferred, armed }: Commitment,
  own: { readonly trust: Trust },
  source: EntryVersion | undefined,
  now: { readonly now: number; readonly floor: Trust; readonly armed: string },
): CommitmentState {
  if (status !== 'waiting') return { status, reason }
  if (memoryId !== null) {
    const end = endOf(source, inferred?.sentence ?? null, now.now)
    if (end !== null) return { status: 'ended', reason: end }
  }
  const trust = source?.trust ?? own.trust
  // What is untrusted starts nothing, also for a tenant that reads it.
  if (trust === 'untrusted' || isBelow(trust, now.floor)) return { status: 'quarantined', reason: 'trust' }
  return armed === now.armed ? { status, reason: null } : { status: 'paused', reason: 'imported' }
}

function endOf(source: EntryVersion | undefined, sentence: string | null, now: number): string | null {
  if (source === undefined) return 'source_gone'
  if (isExpired(source, now)) return 'source_expired'
  if (source.endedPosition !== null && !keptReasons.has(source.endedReason ?? ''))
    return `source_${source.endedReason ?? 'ended'}`
  if (sentence !== null && !normaliseText(source.content).includes(sentence)) return 'source_revised'
  return null
}
