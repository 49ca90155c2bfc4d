/** The root of a full tile of the log (`src/core/log/tiles.ts`), in hexadecimal. */
export type TileRoot = { readonly level: number; readonly tile: number; readonly root: string }

/**
 * The Merkle tree over a tenant's audit records. Only the roots of full tiles are stored. They are derived from the audit: a store
 * that has none of them gets them again.
 */
export interface LogStore {
  /** The hashes of the audit records from `from` to `to` inclusive, in order of position. */
  recordHashes(tenantId: string, from: number, to: number): Promise<readonly string[]>
  /** How many tiles of a level have a root: one more than the last of them. */
  tileCount(tenantId: string, level: number): Promise<number>
  /** The stored roots of the tiles `from` to `to` inclusive of a level, in order. */
  tileRoots(tenantId: string, level: number, from: number, to: number): Promise<readonly string[]>
  /** Stores the roots. Those that are stored already stay as they are. They may be lost with a power cut. */
  saveTileRoots(tenantId: string, roots: readonly TileRoot[]): Promise<void>
}
