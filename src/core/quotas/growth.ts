import type { Batch } from '../commit/batch.ts'
import { limits } from '../limits.ts'
import { isEnded } from '../run/run.ts'
import type { Quotas } from './quota.ts'

/** The quotas whose use is counted in the database. */
export const storedQuotas = ['entries', 'bytes'] as const
export const pendingQuotas = ['runsPending', 'jobsPending'] as const

export type CountedQuota = (typeof storedQuotas)[number] | (typeof pendingQuotas)[number]

/** How much a change adds to each counted quota. */
export type Growth = Readonly<Record<CountedQuota, number>>

type GrowingMember = 'puts' | 'ends' | 'revisions' | 'imported' | 'runs' | 'jobs' | 'sourceEvents'
type LeaseMember = 'holds' | 'park' | 'ingests'
type Growing = Pick<Batch, 'kind'> & Partial<Pick<Batch, GrowingMember | LeaseMember>>

/** What a change adds; null when it adds nothing. */
export function growthOf(change: Growing): Growth | null {
  const { puts = [], ends = [], revisions = [], imported, runs = [], jobs = [] } = change
  const versions = imported?.versions ?? []
  if (puts.length + revisions.length + versions.length + runs.length + jobs.length === 0) return null
  const received = receivedBy(change)
  let bytes = received.bytes
  for (const { content } of puts) bytes += Buffer.byteLength(content)
  for (const { content } of revisions) bytes += Buffer.byteLength(content)
  for (const { content } of versions) bytes += Buffer.byteLength(content)
  const current = versions.filter(({ endedPosition }) => endedPosition === null)
  const begun = runs.filter(({ expects, run }) => expects === 0 && !isEnded(run.status))
  return {
    // An edit of a claim ends one entry and puts another: with a full quota it must still be possible.
    entries: Math.max(puts.length - ends.length, 0) + current.length + received.entries,
    bytes,
    runsPending: begun.length,
    jobsPending: jobs.length,
  }
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

/** Changes by which a client adds something new. Everything else is work of the host, or shrinks what is stored. */
const clientKinds: ReadonlySet<string> = new Set([
  'memory.written',
  'memory.revised',
  'memory.imported',
  'workspace.updated',
  'source.received',
  'commitment.created',
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

/**
 * Up to this position, the quotas of stored things cannot be exceeded, whatever was written: a commit has at most `batchEntriesMax`
 * entries of `contentBytesMax` bytes. So nothing is counted for small tenants.
 */
export function positionsWithoutCount({ entries, bytes }: Pick<Quotas, 'entries' | 'bytes'>): number {
  const { batchEntriesMax, contentBytesMax } = limits
  return Math.floor(Math.min(entries / batchEntriesMax, bytes / (batchEntriesMax * contentBytesMax)))
}
