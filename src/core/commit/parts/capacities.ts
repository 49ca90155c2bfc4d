import type { AdminKind } from '../../admin.ts'
import { ColophonError } from '../../errors.ts'
import type { AdminMembers } from './admin.ts'
import type { EntryMembers } from './entries.ts'
import type { BatchPart } from './part.ts'

/** What a limit counts: administered records of a kind, or current entries. */
export type Counted =
  | { readonly records: AdminKind }
  | {
      /** The ref of the entries; with `isPrefix`, all refs that begin with it. */
      readonly memoryRef: string
      readonly isPrefix?: true
      readonly tag: string | null
      /** Entries that have expired at this instant do not count. */
      readonly now: number
    }

export type Capacity = {
  readonly of: Counted
  readonly max: number
  /** Current entries that the batch changes so that they count from now on, less those that it ends or that count no more. */
  readonly gained?: number
}

export type CapacityMembers = {
  /** Limits that must hold after the batch. They are checked under the lock, so that calls at the same time cannot exceed them together. */
  readonly capacities: readonly Capacity[]
}

export type CapacityState = {
  /** How many are stored, counted up to `upTo`. */
  readonly stored: (counted: Counted, upTo: number) => number
}

type Added = Partial<Pick<EntryMembers, 'puts' | 'revisions'> & AdminMembers>

/**
 * Limits on numbers. The caller counts before it commits, and has the error for the client. If another call took the last place
 * meanwhile, the batch is refused as outdated, and the caller counts again.
 */
export const capacities: BatchPart<CapacityMembers & Added, object, CapacityState> = {
  members: ['capacities'],
  none: { capacities: [] },
  noRows: {},
  check(batch, { stored }) {
    for (const { of, max, gained = 0 } of batch.capacities) {
      const added = addedBy(batch, of) + gained
      if (added > 0 && stored(of, max) + added > max)
        throw new ColophonError('version_conflict', 'Another call took the last place.', { details: { max } })
    }
  },
}

function addedBy({ admin = [], puts = [], revisions = [] }: Added, counted: Counted): number {
  if ('records' in counted)
    return admin.filter(({ kind, body, expects }) => kind === counted.records && body !== null && expects === 0).length
  const begun = [...puts, ...revisions.filter(({ revives }) => revives)]
  return begun.filter((entry) => entry.endsAtOnce === undefined && isCounted(entry, counted)).length
}

/** Whether an entry is one of those that a limit counts. */
export function isCounted(
  { memoryRef, tags }: { readonly memoryRef: string; readonly tags: readonly string[] },
  counted: Exclude<Counted, { records: AdminKind }>,
): boolean {
  const isOfRef = counted.isPrefix ? memoryRef.startsWith(counted.memoryRef) : memoryRef === counted.memoryRef
  return isOfRef && (counted.tag === null || tags.includes(counted.tag))
}

/** One text for what a limit counts. */
export function capacityKey(counted: Counted): string {
  if ('records' in counted) return `records ${counted.records}`
  return JSON.stringify([counted.memoryRef, counted.isPrefix ?? false, counted.tag, counted.now])
}
