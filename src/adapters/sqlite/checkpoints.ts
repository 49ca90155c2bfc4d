import type { Database } from 'better-sqlite3'
import { passiveCheckpoint, type Scans } from './scans.ts'

/** Pages of the write-ahead log from which on they are copied into the file (16 MB): a page that many commits change is copied once. */
const copiedFromPages = 4_000
/** So few are copied by the event loop: it takes about 5 ms. */
const inPlacePages = 1_000
/** A log of this length (64 MB) is copied by the event loop, however much is left: under a constant load the thread alone never finishes. */
export const logPagesMax = 16_000
/** Transactions between two looks at the length of the log, which take 5 µs each; so many characters of text count as a transaction more. */
const lookEvery = 32
const charactersPerTransaction = 32_768

/**
 * Copies the write-ahead log into the file in another thread, because the copy of 16 MB and its flush would block the event loop. SQLite
 * writes the log from its beginning again only when all of it was copied. The writer goes on meanwhile, so what it has added is copied here.
 */
export function createCheckpoints(writer: Database, scans: Pick<Scans, 'checkpoint'>) {
  const look = writer.prepare('pragma wal_checkpoint(noop)').raw()
  let transactions = 0
  let isCopying = false

  function pages(): { log: number; left: number } {
    const [, log, copied] = look.get() as [number, number, number]
    return { log, left: log - copied }
  }

  async function copy(): Promise<void> {
    isCopying = true
    try {
      if (pages().left < copiedFromPages) return
      await scans.checkpoint()
      const { log, left } = pages()
      if (left > 0 && (left <= inPlacePages || log >= logPagesMax)) writer.pragma(passiveCheckpoint)
    } catch {
      // The thread could not start, or the store was closed. A log that grows is copied by the commit that reaches `logPagesMax`.
    } finally {
      isCopying = false
    }
  }

  return {
    /** A transaction of the writer was committed, with so much text. Never throws: the transaction is stored. */
    noteCommit(characters: number): void {
      transactions += 1 + characters / charactersPerTransaction
      if (isCopying || transactions < lookEvery) return
      transactions = 0
      void copy()
    },
  }
}
