import type { Batch } from '../../core/commit/batch.ts'
import { limits } from '../../core/limits.ts'

/** The aim for a commit that erases, in milliseconds of the processor. The next one can take three times as long for each entry. */
const commitMs = 12

/**
 * How many entries the next commit should erase, by what the last one took for each. SQLite takes a term out of every segment of its
 * index and passes the pages that earlier erasures have emptied: of a ref with 50,000 entries, the last ones took ten times as long as the
 * others. Counted is the time of the processor: to wait for a slow disk takes as long for one entry as for many.
 */
export function createErasurePace(cpuMs = processorMs) {
  let entries: number = limits.forgetBatchEntriesMax
  return {
    entries: () => entries,
    /** Runs a transaction, and notes what it took if it erases entries and does nothing else. */
    run<T>(batches: readonly Batch[], transaction: () => T): T {
      const [batch] = batches
      if (batch === undefined || batches.length > 1 || batch.erasures.length === 0) return transaction()
      const began = cpuMs()
      const result = transaction()
      const erased = new Set(batch.erasures.map(({ entryId }) => entryId)).size
      entries = Math.min(limits.forgetBatchEntriesMax, Math.max(1, Math.floor((commitMs * erased) / (cpuMs() - began))))
      return result
    },
  }
}

function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
