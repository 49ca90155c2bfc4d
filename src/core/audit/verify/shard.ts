/** One of `of` parts of the rows of a tenant, by the hash of their id. */
export type Shard = { readonly index: number; readonly of: number }

/** Whether the row of this id belongs to the shard. */
export function inShard({ index, of }: Shard, id: string): boolean {
  return of === 1 || hashOf(id) % of === index
}

/** FNV-1a, 32 bits: it only has to distribute the ids evenly. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
