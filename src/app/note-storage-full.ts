import { isColophonError } from '../core/errors.ts'
import type { Storage } from '../ports/storage.ts'

/**
 * A storage that remembers whether the last write found room. Reads still work on a full disk, so it is ready to serve, and an operator has to
 * learn it before clients do.
 */
export function noteStorageFull(storage: Storage): Storage {
  let isFull = false
  async function note<T>(writing: Promise<T>, hasWritten: (result: T) => boolean): Promise<T> {
    try {
      const result = await writing
      if (hasWritten(result)) isFull = false
      return result
    } catch (error) {
      if (isColophonError(error) && error.code === 'storage_full') isFull = true
      throw error
    }
  }
  const { search } = storage
  return {
    ...storage,
    commit: (batch) => note(storage.commit(batch), ({ repeated }) => !repeated),
    search: { ...search, index: (...asked) => note(search.index(...asked), (rows) => rows > 0) },
    pressure: () => ({ ...storage.pressure(), isFull }),
  }
}
