import { ColophonError, invalid } from '../../core/errors.ts'
import { checkpointText } from '../../core/log/checkpoint.ts'
import { type Hash, leafHash } from '../../core/log/merkle.ts'
import { formatNote, signNote } from '../../core/log/note.ts'
import { entryBundle, hashesAtLevel, parseTilePath, tileWidth } from '../../core/log/tiles.ts'
import type { Signer } from '../engine.ts'
import type { Tenant } from '../tenant.ts'
import { openLogTree } from './build-tiles.ts'
import { currentLogKey } from './log-keys.ts'
import { readLeaves } from './log-tree.ts'

/** How many records the log has. */
async function logSize(tenant: Tenant): Promise<number> {
  return (await tenant.storage.clock(tenant.id))?.position ?? 0
}

/** The newest checkpoint: the size and the root of the log, signed now. */
export async function readCheckpoint(tenant: Tenant): Promise<string> {
  const { key, signer } = await currentLogKey(tenant)
  const tree = await openLogTree(tenant, await logSize(tenant))
  const text = checkpointText({ origin: key.name, size: tree.size, root: await tree.root() })
  return formatNote({ text, signatures: [signNote(text, key, signer.sign)] })
}

/** The head of the log when it had `size` records, and the signer of this host. */
export async function readTreeHead(
  tenant: Tenant,
  size: number,
): Promise<{ readonly origin: string; readonly size: number; readonly root: Hash; readonly signer: Signer }> {
  const { key, signer } = await currentLogKey(tenant)
  checkSize('size', size, await logSize(tenant))
  const tree = await openLogTree(tenant, size)
  return { origin: key.name, size, root: await tree.root(), signer }
}

export type InclusionProof = {
  readonly position: number
  readonly leafIndex: number
  readonly size: number
  readonly leafHash: Hash
  readonly root: Hash
  readonly hashes: readonly Hash[]
}

/** The proof that the record at a position is in the log of a size; by default in the newest. */
export async function proveInclusion(
  tenant: Tenant,
  { position, size }: { readonly position: number; readonly size?: number | undefined },
): Promise<InclusionProof> {
  const end = await logSize(tenant)
  const treeSize = size ?? end
  checkSize('size', treeSize, end)
  if (position < 1 || position > treeSize)
    throw invalid('position', `must be from 1 to ${treeSize}, the size of the log`, { max: treeSize })
  const tree = await openLogTree(tenant, treeSize)
  const leafIndex = position - 1
  const leaves = await readLeaves(tenant, Math.floor(leafIndex / tileWidth), (leafIndex % tileWidth) + 1)
  const leaf = leafHash(leaves.at(-1) ?? new Uint8Array())
  const [root, hashes] = await Promise.all([tree.root(), tree.inclusionProof(leafIndex)])
  return { position, leafIndex, size: treeSize, leafHash: leaf, root, hashes }
}

export type ConsistencyProof = {
  readonly from: number
  readonly to: number
  readonly fromRoot: Hash
  readonly toRoot: Hash
  readonly hashes: readonly Hash[]
}

/** The proof that the log of size `to` begins with the log of size `from`; `to` is the newest size by default. */
export async function proveConsistency(
  tenant: Tenant,
  { from, to }: { readonly from: number; readonly to?: number | undefined },
): Promise<ConsistencyProof> {
  const end = await logSize(tenant)
  const size = to ?? end
  checkSize('to', size, end)
  if (from > size) throw invalid('from', `must be at most ${size}, the size of the log`, { max: size })
  const tree = await openLogTree(tenant, size)
  const earlier = await openLogTree(tenant, from)
  const [fromRoot, toRoot, hashes] = await Promise.all([earlier.root(), tree.root(), tree.consistencyProof(from)])
  return { from, to: size, fromRoot, toRoot, hashes }
}

function checkSize(field: string, size: number, end: number): void {
  if (size > end) throw invalid(field, `must be at most ${end}, the size of the log`, { max: end })
}

/** The bytes of a tile or of an entry bundle, by its path in tlog-tiles. */
export async function readTileBytes(tenant: Tenant, path: string): Promise<Uint8Array> {
  const name = parseTilePath(path)
  if (name === null) throw invalid('path', 'must be a tile such as 0/x001/x234/067, 1/000.p/8 or entries/000')
  const { level, tile, width, isEntries } = name
  const size = await logSize(tenant)
  if (tile * tileWidth + width > hashesAtLevel(level, size))
    throw new ColophonError('log_tile_not_found', 'The log is too short to have this tile.', { details: { size } })
  if (isEntries) return entryBundle(await readLeaves(tenant, tile, width))
  const hashes = await (await openLogTree(tenant, size)).tile(level, tile)
  return Buffer.concat(hashes.slice(0, width))
}
