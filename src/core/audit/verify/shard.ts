/** One of several equal parts of everything, by id. */
export type Shard = { readonly index: number; readonly of: number }

export function inShard({ index, of }: Shard, id: string): boolean {
  return of === 1 || hashOf(id) % of === index
}

/** FNV-1a, 32 bits: it only has to spread. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
