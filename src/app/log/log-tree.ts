import { ColophonError } from '../../core/errors.ts'
import { type Hash, joinSubtrees, leafHash, treeRoot } from '../../core/log/merkle.ts'
import { consistencyRanges, inclusionRanges, type LeafRange, subtreesOf } from '../../core/log/proofs.ts'
import { hashesAtLevel, placeInTiles, tileWidth } from '../../core/log/tiles.ts'
import type { Tenant } from '../tenant.ts'

/**
 * The Merkle tree over the first `size` audit records of a tenant. The leaf at index n is the hash of the record at position n + 1, as 32
 * bytes. The tree reads whole tiles, each once: level 0 from the audit, higher levels from the stored roots of the level below.
 */
export class LogTree {
  readonly size: number
  readonly #tenant: Tenant
  readonly #tiles = new Map<string, Promise<readonly Hash[]>>()

  constructor(tenant: Tenant, size: number) {
    this.#tenant = tenant
    this.size = size
  }

  /** The hashes of a tile that this tree has, at most 256. */
  tile(level: number, tile: number): Promise<readonly Hash[]> {
    const key = `${level}/${tile}`
    const known = this.#tiles.get(key)
    if (known) return known
    const width = Math.min(hashesAtLevel(level, this.size) - tile * tileWidth, tileWidth)
    const reading = width > 0 ? readTile(this.#tenant, level, tile, width) : Promise.resolve([])
    this.#tiles.set(key, reading)
    return reading
  }

  root(): Promise<Hash> {
    return this.#rootOf({ from: 0, to: this.size })
  }

  /** The proof that the record at an index is in this tree. */
  inclusionProof(index: number): Promise<readonly Hash[]> {
    return Promise.all(inclusionRanges(index, this.size).map((range) => this.#rootOf(range)))
  }

  /** The proof that this tree continues the tree of an earlier size. */
  consistencyProof(earlierSize: number): Promise<readonly Hash[]> {
    return Promise.all(consistencyRanges(earlierSize, this.size).map((range) => this.#rootOf(range)))
  }

  async #rootOf(range: LeafRange): Promise<Hash> {
    const parts = subtreesOf(range).map(async (subtree) => {
      const { level, tile, first, count } = placeInTiles(subtree)
      return treeRoot((await this.tile(level, tile)).slice(first, first + count))
    })
    return parts.length === 0 ? treeRoot([]) : joinSubtrees(await Promise.all(parts))
  }
}

/** The leaves of a tile of level 0: the hashes of its audit records. */
export async function readLeaves(tenant: Tenant, tile: number, width: number): Promise<readonly Uint8Array[]> {
  const first = tile * tileWidth + 1
  const hashes = await tenant.storage.log.recordHashes(tenant.id, first, first + width - 1)
  if (hashes.length === width) return hashes.map(fromHex)
  throw new ColophonError('storage_corrupt', 'The audit log has missing records: run colophon audit verify.')
}

export async function readTile(tenant: Tenant, level: number, tile: number, width: number): Promise<readonly Hash[]> {
  if (level === 0) return (await readLeaves(tenant, tile, width)).map(leafHash)
  const first = tile * tileWidth
  const roots = await tenant.storage.log.tileRoots(tenant.id, level - 1, first, first + width - 1)
  if (roots.length === width) return roots.map(fromHex)
  throw new ColophonError(
    'storage_corrupt',
    'Tiles of the log are missing: delete all rows of the tenant in log_tile, and they are computed again.',
  )
}

function fromHex(hash: string): Uint8Array {
  return Buffer.from(hash, 'hex')
}
