import type { Database } from 'better-sqlite3'

/** Returns a function that says whether another connection has written since its last call: a cache in this process has not seen what that wrote. */
export function watchOtherWriters(writer: Database): () => boolean {
  const version = writer.prepare('pragma data_version').pluck()
  let seen = version.get()
  return () => {
    const before = seen
    seen = version.get()
    return seen !== before
  }
}
