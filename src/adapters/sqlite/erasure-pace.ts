import { limits } from '../../core/limits.ts'

/** The aim for a commit that erases. The next one can take three times as long for each entry. */
const commitMs = 12

/**
 * How many entries the next commit should erase, by what the last one took for each. SQLite takes a term out of every segment of its
 * index and passes the pages that earlier erasures have emptied: of a ref with 50,000 entries, the last ones took ten times as long as the
 * others.
 */
export function createErasurePace() {
  let entries: number = limits.forgetBatchEntriesMax
  return {
    entries: () => entries,
    /** A transaction that erased so many versions took so long. */
    note(versions: number, ms: number): void {
      entries = Math.min(limits.forgetBatchEntriesMax, Math.max(1, Math.floor((commitMs * versions) / ms)))
    },
  }
}
