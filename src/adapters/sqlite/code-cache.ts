import type { Database } from 'better-sqlite3'
import { limits } from '../../core/limits.ts'
import { type CodePlace, SignCodes } from '../../core/search/sign-codes.ts'
import { vectorFromBytes } from '../../core/search/vectors.ts'
import type { NearQuery } from '../../ports/vector-store.ts'
import { watchOtherWriters } from './other-writers.ts'

export type CodeCache = ReturnType<typeof createCodeCache>

type CachedRef = {
  readonly space: string
  readonly codes: SignCodes
  readonly loaded: Promise<void>
  /** Places whose vectors were stored or deleted since they were read. */
  changed: CodePlace[]
}

type VectorRow = {
  created_position: number
  ordinal: number
  version: number
  recorded_position: number
  vector: Uint8Array
}

/** Vectors that are read together: about 5 ms. */
const pageVectors = 1_000

/**
 * The codes of refs with many vectors, made of the stored vectors when a search first needs them. They are in memory only, so an
 * erasure and a backup have no further copy to reach. A code without a stored vector is harmless: what it suggests is read again.
 */
export function createCodeCache(reader: Database, writer: Database, answer: <T>(work: () => T) => Promise<T>) {
  /** By tenant and ref, the one that was searched longest ago first. */
  const refs = new Map<string, CachedRef>()
  const sql = prepare(reader)
  const hasOtherWritten = watchOtherWriters(writer)

  async function load(query: NearQuery, codes: SignCodes): Promise<void> {
    const { tenantId, memoryRef, space } = query
    let before = { createdPosition: Number.MAX_SAFE_INTEGER, ordinal: 0, version: 0 }
    for (let isMore = true; isMore && codes.count < limits.searchCodesMax; )
      await answer(() => {
        const rows = sql.page.all({ tenantId, memoryRef, ...space, ...before, limit: pageVectors }) as VectorRow[]
        for (const row of rows) codes.add(placeOf(row), row.recorded_position, vectorFromBytes(row.vector))
        const last = rows.at(-1)
        if (last) before = placeOf(last)
        isMore = rows.length === pageVectors
      })
  }

  /** Reads what was changed again: a change that was rolled back leaves its code as it was. */
  function refresh({ codes, changed }: CachedRef, { tenantId, memoryRef, space }: NearQuery): void {
    codes.remove(changed)
    for (const place of new Map(changed.map((each) => [JSON.stringify(each), each])).values()) {
      const row = sql.one.get({ tenantId, memoryRef, ...space, ...place }) as VectorRow | undefined
      if (row) codes.add(place, row.recorded_position, vectorFromBytes(row.vector))
    }
  }

  function dropOldest(): void {
    let bytes = 0
    for (const { codes } of refs.values()) bytes += codes.bytes
    for (const [key, { codes }] of refs) {
      if (bytes <= limits.searchCodeBytesMax || refs.size === 1) return
      bytes -= codes.bytes
      refs.delete(key)
    }
  }

  return {
    /** A vector was stored or deleted, in the transaction that is open. */
    noteChange(
      tenantId: string,
      { memoryRef, createdPosition, ordinal, version }: CodePlace & { readonly memoryRef: string },
    ): void {
      const key = keyOf(tenantId, memoryRef)
      const cached = refs.get(key)
      if (cached === undefined) return
      cached.changed.push({ createdPosition, ordinal, version })
      if (cached.changed.length > limits.searchCodesMax) refs.delete(key)
    },

    /** The codes of all vectors of a ref as they are stored now. */
    async of(query: NearQuery): Promise<SignCodes> {
      if (hasOtherWritten()) refs.clear()
      const key = keyOf(query.tenantId, query.memoryRef)
      const space = `${query.space.dimensions} ${query.space.model}`
      const known = refs.get(key)
      const isKnown = known?.space === space
      const codes = isKnown ? known.codes : new SignCodes(query.space.dimensions)
      const cached = isKnown ? known : { space, codes, loaded: load(query, codes), changed: [] }
      refs.delete(key)
      refs.set(key, cached)
      try {
        await cached.loaded
      } catch (error) {
        if (refs.get(key) === cached) refs.delete(key)
        throw error
      }
      if (cached.changed.length > 0)
        await answer(() => {
          refresh(cached, query)
          cached.changed = []
        })
      dropOldest()
      return codes
    },
  }
}

function keyOf(tenantId: string, memoryRef: string): string {
  return `${tenantId}\u0000${memoryRef}`
}

function placeOf({ created_position, ordinal, version }: VectorRow): CodePlace {
  return { createdPosition: created_position, ordinal, version }
}

const columns = 'created_position, ordinal, version, recorded_position, vector'

function prepare(db: Database) {
  return {
    page: db.prepare(`
      select ${columns}
        from entry_vector
       where tenant_id = :tenantId
         and memory_ref = :memoryRef
         and (created_position, ordinal, version) < (:createdPosition, :ordinal, :version)
         and model = :model
         and dimensions = :dimensions
       order by created_position desc, ordinal desc, version desc
       limit +:limit`),
    one: db.prepare(`
      select ${columns}
        from entry_vector
       where tenant_id = :tenantId
         and memory_ref = :memoryRef
         and created_position = :createdPosition
         and ordinal = :ordinal
         and version = :version
         and model = :model
         and dimensions = :dimensions`),
  }
}
