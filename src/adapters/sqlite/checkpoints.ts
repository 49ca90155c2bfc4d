import type { Database } from 'better-sqlite3'
import { passiveCheckpoint, type Scans } from './scans.ts'

/** Pages of the write-ahead log from which on they are copied into the file (16 MB): a page that many commits change is copied once. */
const copiedFromPages = 4_000
/** So few are copied by the event loop: it takes about 5 ms. */
const inPlacePages = 1_000
/** From this length of the log on (32 MB), commits wait for the copy: under a constant load the thread alone would never finish. */
const heldFromPages = 8_000
/** For no longer at a time: the thread may be in a long scan, and a snapshot that an export reads keeps the log from being copied whole. */
const heldMsMax = 100
/** A log of this length (256 MB) is copied by the commit that reaches it, whatever keeps the thread from it. */
export const logPagesMax = 64_000
/** Transactions between two looks at the length of the log, which take 5 µs each; so many characters of text count as a transaction more. */
const lookEvery = 32
const charactersPerTransaction = 32_768

/**
 * Copies the write-ahead log into the file in another thread, because the copy of 16 MB and its flush would block the event loop. SQLite
 * writes the log from its beginning again only when all of it was copied. The writer goes on meanwhile, so the few pages that it has added
 * are copied here. If it adds more than a few, its commits wait for the thread; the event loop does not.
 */
export function createCheckpoints(writer: Database, scans: Pick<Scans, 'checkpoint'>, holdMs = heldMsMax) {
  const look = writer.prepare('pragma wal_checkpoint(noop)').raw()
  let transactions = 0
  let copying: Promise<void> | null = null
  /** The length of the log from which on commits wait. */
  let heldFrom = heldFromPages
  let isHeld = false

  function pages(): { log: number; left: number } {
    const [, log, copied] = look.get() as [number, number, number]
    return { log, left: log - copied }
  }

  async function copy(): Promise<void> {
    for (let before = pages().log; ; ) {
      await scans.checkpoint()
      const { log, left } = pages()
      if (left > inPlacePages && log >= heldFrom && log > before) {
        isHeld = true
        before = log
        continue
      }
      if (left > 0 && left <= inPlacePages) writer.pragma(passiveCheckpoint)
      if (left <= inPlacePages) heldFrom = heldFromPages
      else if (isHeld) heldFrom = log + heldFromPages
      return
    }
  }

  function begin(): void {
    copying = copy()
      .catch(() => {
        // The thread could not start or copy: as a commit of SQLite would do it.
        if (writer.open) writer.pragma(passiveCheckpoint)
      })
      // The store was closed.
      .catch(() => {})
      .finally(() => {
        copying = null
        isHeld = false
      })
  }

  return {
    /** A transaction of the writer was committed, with so much text. Never throws: the transaction is stored. */
    noteCommit(characters: number): void {
      transactions += 1 + characters / charactersPerTransaction
      if (transactions < lookEvery) return
      transactions = 0
      try {
        const { log, left } = pages()
        isHeld = copying !== null && log >= heldFrom
        if (copying === null && left >= copiedFromPages) begin()
      } catch {
        // The store was closed.
      }
    },

    /** While the log is long: the end of its copy, for which the next commit waits. */
    held(): Promise<void> | undefined {
      if (!isHeld || copying === null) return undefined
      return Promise.race([copying, holdEnds(copying)])
    },
  }

  async function holdEnds(held: Promise<void>): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, holdMs).unref())
    if (copying !== held || !isHeld) return
    isHeld = false
    heldFrom += heldFromPages
  }
}
