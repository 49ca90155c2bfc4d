import type { Revision } from '../commit/batch.ts'
import type { EntryVersion } from '../entries/entry.ts'

/** Whether an entry that has ended is current again once its content wins. */
export function mayWinAgain({ endedReason }: EntryVersion): boolean {
  return endedReason === 'superseded' || endedReason === 'contained'
}

/** The last version of an entry that had already ended when it was deleted: empty, and ended with the reason `deleted`. */
export function toDeletedVersion({ memoryRef, entryId, origin }: EntryVersion, salt: string): Revision {
  return { memoryRef, entryId, content: '', tags: [], origin, salt, revives: true, endsAtOnce: 'deleted' }
}
