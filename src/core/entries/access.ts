import { type Trust, trustRank } from './trust.ts'

/**
 * What a read may see inside its tenant, at any position: versions of at least this trust, and of entries that the reader may see.
 * `reader: null` sees the entries of all readers.
 */
export type ReadAccess = { readonly trustMin: Trust; readonly reader: string | null }

/** Sees everything: what the host itself reads. */
export const fullAccess: ReadAccess = { trustMin: 'untrusted', reader: null }

type Guarded = { readonly trust: Trust; readonly readers: readonly string[] | null }

/** Whether a version may be seen. Readers are those of the entry today: all its versions have the same. */
export function isAccessible({ trust, readers }: Guarded, { trustMin, reader }: ReadAccess): boolean {
  return trustRank(trust) >= trustRank(trustMin) && isReadableBy(readers, reader)
}

/** Whether a reader may see what has these readers. Null readers: everyone in the tenant. */
export function isReadableBy(readers: readonly string[] | null, reader: string | null): boolean {
  return reader === null || readers === null || readers.includes(reader)
}

/** The readers of what is derived from several sources: those who may read all of them. */
export function commonReaders(sources: readonly (readonly string[] | null)[]): readonly string[] | null {
  let common: readonly string[] | null = null
  for (const readers of sources) {
    if (readers === null) continue
    common = common === null ? readers : common.filter((reader) => readers.includes(reader))
  }
  return common
}
