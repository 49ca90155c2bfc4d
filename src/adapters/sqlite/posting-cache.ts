import type { Database } from 'better-sqlite3'
import { limits } from '../../core/limits.ts'
import type { PostingList } from '../../core/search/candidate-rows.ts'
import { watchOtherWriters } from './other-writers.ts'

/** Reads row numbers from the index, newest first: those after one number and up to another. */
export type ReadRows = (range: { readonly after: number; readonly upTo: number; readonly limit: number }) => number[]

type CachedList = {
  /** At most `limit` row numbers, newest first. */
  readonly rows: Uint32Array
  readonly isCut: boolean
  readonly limit: number
  /** Every indexed row up to this number was considered. */
  readonly upTo: number
}

/** Beside the row numbers: the term, and what a map needs for it. */
const overheadBytes = 200

export type PostingCache = ReturnType<typeof createPostingCache>

/**
 * The posting lists of terms that were looked up last, by scope. Rows are indexed in the order of their numbers, so a list that was read before
 * lacks only the rows that were indexed since. A row that leaves the index empties its scope, and so does one whose text changes: nothing of an
 * erased entry stays. Another process that writes empties the cache.
 */
export function createPostingCache(writer: Database, bytesMax: number = limits.searchPostingBytesMax) {
  const hasOtherWritten = watchOtherWriters(writer)
  /** By scope, then by what was looked up, each the one that was used longest ago first. */
  const scopes = new Map<number, Map<string, CachedList>>()
  let bytes = 0

  function dropScope(scopeId: number): void {
    for (const list of scopes.get(scopeId)?.values() ?? []) bytes -= sizeOf(list)
    scopes.delete(scopeId)
  }

  function save(scopeId: number, key: string, list: CachedList): void {
    const lists = scopes.get(scopeId) ?? new Map<string, CachedList>()
    const before = lists.get(key)
    bytes += sizeOf(list) - (before === undefined ? 0 : sizeOf(before))
    lists.delete(key)
    lists.set(key, list)
    scopes.delete(scopeId)
    scopes.set(scopeId, lists)
    while (bytes > bytesMax) dropOldest()
  }

  function dropOldest(): void {
    const [scopeId, lists] = scopes.entries().next().value as [number, Map<string, CachedList>]
    const [key, list] = lists.entries().next().value as [string, CachedList]
    bytes -= sizeOf(list)
    lists.delete(key)
    if (lists.size === 0) scopes.delete(scopeId)
  }

  return {
    /** For tests. */
    get bytes(): number {
      return bytes
    },

    dropScope,

    clear(): void {
      scopes.clear()
      bytes = 0
    },

    /**
     * Whether lists may be taken from here and kept, for a search whose read transaction has begun. Not if another connection has
     * written since the last search: whether this transaction sees that is unknown.
     */
    isUsable(): boolean {
      if (!hasOtherWritten()) return true
      this.clear()
      return false
    },

    /** The rows of a scope up to a number that a lookup matches. */
    list(scopeId: number, key: string, upTo: number, limit: number, read: ReadRows): PostingList {
      const known = scopes.get(scopeId)?.get(key)
      // As of an earlier position.
      if (known !== undefined && known.upTo > upTo) return toList(readAll(read, upTo, limit), limit)
      const isEnough = known !== undefined && (!known.isCut || known.limit >= limit)
      const list = isEnough ? extended(known, upTo, Math.max(known.limit, limit), read) : readAll(read, upTo, limit)
      save(scopeId, key, list)
      return toList(list, limit)
    },
  }
}

function readAll(read: ReadRows, upTo: number, limit: number): CachedList {
  const rows = Uint32Array.from(read({ after: 0, upTo, limit: limit + 1 }))
  return { rows: rows.subarray(0, limit), isCut: rows.length > limit, limit, upTo }
}

/** The list with the rows that were indexed since it was read. */
function extended(list: CachedList, upTo: number, limit: number, read: ReadRows): CachedList {
  if (list.upTo === upTo) return list
  const newer = read({ after: list.upTo, upTo, limit: limit + 1 })
  if (newer.length === 0) return { ...list, upTo, limit }
  const rows = new Uint32Array(Math.min(limit, newer.length + list.rows.length))
  rows.set(newer.slice(0, limit))
  if (newer.length < limit) rows.set(list.rows.subarray(0, limit - newer.length), newer.length)
  return { rows, isCut: list.isCut || newer.length + list.rows.length > limit, limit, upTo }
}

function toList({ rows, isCut }: CachedList, limit: number): PostingList {
  return { rows: rows.subarray(0, limit), isCut: isCut || rows.length > limit }
}

function sizeOf({ rows }: CachedList): number {
  return rows.buffer.byteLength + overheadBytes
}
