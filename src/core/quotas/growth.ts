import type { Batch } from '../commit/batch.ts'
import { limits } from '../limits.ts'
import { isEnded, type RunStep } from '../run/run.ts'
import type { Quotas } from './quota.ts'
import {
  bytesOfAssertion,
  bytesOfCall,
  bytesOfEvent,
  bytesOfJob,
  bytesOfRecord,
  bytesOfRun,
  bytesOfSource,
  bytesOfVersion,
} from './stored-bytes.ts'

/** What is counted in the database: entries and the bytes of their versions by position, and the bytes of all other rows. */
export const storedCounts = ['entries', 'bytes'] as const
export const otherCounts = ['otherBytes', 'rewrittenBytes'] as const
export const pendingCounts = ['runsPending', 'jobsPending'] as const

export type QuotaCount = (typeof storedCounts)[number] | (typeof otherCounts)[number] | (typeof pendingCounts)[number]

/**
 * How much a change adds to each count. The quota `bytes` is of `bytes` and `otherBytes` together. `rewrittenBytes` are those of rows that take the
 * place of others: how much they add is known after the next count.
 */
export type Growth = Readonly<Record<QuotaCount, number>>

type GrowingMember = 'puts' | 'ends' | 'revisions' | 'imported' | 'runs' | 'jobs' | 'sourceEvents' | 'admin' | 'claims'
type LeaseMember = 'holds' | 'park' | 'ingests'
type Growing = Pick<Batch, 'kind'> & Partial<Pick<Batch, GrowingMember | LeaseMember>>

/** What a change adds; null when it adds nothing. */
export function growthOf(change: Growing): Growth | null {
  const { puts = [], ends = [], revisions = [], imported, runs = [], jobs = [] } = change
  const { sourceEvents = [], admin = [], claims = [] } = change
  const versions = imported?.versions ?? []
  const rows = [puts, revisions, versions, runs, jobs, sourceEvents, admin, claims, imported?.sourceEvents ?? []]
  if (rows.every(({ length }) => length === 0)) return null
  const received = receivedBy(change)
  const current = versions.filter(({ endedPosition }) => endedPosition === null)
  const begun = runs.filter(({ expects, run }) => expects === 0 && !isEnded(run.status))
  return {
    // An edit of a claim ends one entry and puts another: with a full quota it must still be possible.
    entries: Math.max(puts.length - ends.length, 0) + current.length + received.entries,
    bytes: sumOf([...puts, ...revisions, ...versions], bytesOfVersion) + received.bytes,
    otherBytes: otherBytesOf(change),
    rewrittenBytes: sumOf(
      runs.filter(({ expects }) => expects !== 0),
      ({ run }) => bytesOfRun(run),
    ),
    runsPending: begun.length,
    jobsPending: jobs.length,
  }
}

function otherBytesOf({ sourceEvents = [], admin = [], claims = [], runs = [], jobs = [], imported }: Growing): number {
  const sources = [...sourceEvents, ...(imported?.sourceEvents ?? [])]
  const assertions = [...claims, ...(imported?.claims ?? [])].flatMap((claim) => claim.assertions)
  // A record that replaces another needs room for itself: there may be any number of them.
  const records = admin.flatMap(({ id, body }) => (body === null ? [] : [{ id, body }]))
  return (
    sumOf(sources, bytesOfSource) +
    sumOf(assertions, bytesOfAssertion) +
    sumOf(records, bytesOfRecord) +
    sumOf(jobs, bytesOfJob) +
    sumOf(runs, bytesAddedByStep)
  )
}

/** A step stores the run again, in the place of the one before it, and adds its events and calls. */
function bytesAddedByStep({ expects, run, events, calls }: RunStep): number {
  const payloads = events.map(({ facts, text }) => ({ payload: { ...facts, ...text } }))
  return (expects === 0 ? bytesOfRun(run) : 0) + sumOf(payloads, bytesOfEvent) + sumOf(calls, bytesOfCall)
}

function sumOf<Row>(rows: readonly Row[], bytesOf: (row: Row) => number): number {
  let sum = 0
  for (const row of rows) sum += bytesOf(row)
  return sum
}

/**
 * What comes of a source event later. Its ingestion is not refused, so there must be room when the event is received. Without extraction each message is
 * a memory; with it, at least one comes of what users say.
 */
function receivedBy({ kind, sourceEvents = [] }: Growing): Pick<Growth, 'entries' | 'bytes'> {
  let entries = 0
  let bytes = 0
  // Edits and batches of entries have source events too, but store their entries in the call itself.
  for (const { infer, messages } of kind === 'source.received' ? sourceEvents : []) {
    const stated = messages ?? []
    const some = stated.some(({ role }) => role === 'user') ? 1 : 0
    entries += infer ? some : stated.length
    bytes += infer ? some : stated.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  }
  return { entries, bytes }
}

/**
 * Changes by which a client adds something new. Everything else is work of the host, shrinks what is stored, or must stay possible with a full quota: to
 * revoke a key, to log in, to pause a schedule, to correct a setting.
 */
const clientKinds: ReadonlySet<string> = new Set([
  'memory.written',
  'memory.revised',
  'memory.imported',
  'workspace.updated',
  'source.received',
  'commitment.created',
  'commitment.edited',
  'admin.agent.put',
  'admin.heartbeat.created',
  'admin.heartbeat.edited',
  'admin.rule.put',
  'admin.schedule.put',
  'admin.secret.put',
  'admin.webhook.created',
  'admin.workflow.registered',
  'admin.writer.changed',
  'admin.writer.created',
])

/**
 * Whether a change can be refused because of a quota. Work that was accepted before is completed: a job, a step of a run, the
 * ingestion of an event. So nothing is left half done.
 */
export function isRefusable(change: Growing): boolean {
  const { kind, holds, park, ingests, runs = [] } = change
  if (!clientKinds.has(kind) || holds || park || ingests !== undefined) return false
  return runs.every(({ expects }) => expects === 0)
}

const characterBytesMax = 6
const listed = (count: number, characters: number) => count * (characters * characterBytesMax + 3)
const { tagsPerEntryMax, tagCharactersMax, readersMax } = limits
/** The largest version of an entry: its text, its tags, its readers, and names of a few hundred characters each. */
const versionBytesMax =
  limits.contentBytesMax + listed(tagsPerEntryMax, tagCharactersMax) + listed(readersMax, tagCharactersMax) + 16_384

/** Whether a change removes or replaces rows that have no position, so that only a whole count sees how much is left. */
export function frees({ kind, admin = [] }: Pick<Growing, 'kind' | 'admin'>): boolean {
  return (
    freeingKinds.some((name) => kind.startsWith(name)) ||
    admin.some(({ body, expects }) => body === null || expects !== 0)
  )
}

const freeingKinds = ['forget.', 'history.', 'memory.deleted', 'memory.erased', 'source.payloads_redacted'] as const

/**
 * Up to this position, entries cannot exceed the quotas of stored things, whatever was written: a commit has at most `batchEntriesMax` of them. So
 * they are not counted for small tenants. `otherBytes` are the bytes of everything else.
 */
export function positionsWithoutCount({ entries, bytes }: Pick<Quotas, 'entries' | 'bytes'>, otherBytes = 0): number {
  const { batchEntriesMax } = limits
  return Math.floor(Math.min(entries / batchEntriesMax, (bytes - otherBytes) / (batchEntriesMax * versionBytesMax)))
}
