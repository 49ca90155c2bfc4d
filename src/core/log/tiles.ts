import type { Subtree } from './proofs.ts'

/** Tiles of C2SP tlog-tiles: a tile has up to 256 hashes of one level. A hash of level L is the root of 256^L leaves. */
export const tileWidth = 256
const tileHeight = 8

/** Level 6 would need more records than a number can count. */
const tileLevelMax = 5

/** A tile, or with `isEntries` the leaves themselves of a tile of level 0. */
export type TileName = {
  readonly level: number
  readonly tile: number
  readonly width: number
  readonly isEntries: boolean
}

/** How many hashes of a level a tree has. */
export function hashesAtLevel(level: number, size: number): number {
  return Math.floor(size / tileWidth ** level)
}

/** Where the root of a complete subtree is found: it is the root over `count` hashes of one tile, beginning at `first`. */
export function placeInTiles({ height, index }: Subtree): {
  readonly level: number
  readonly tile: number
  readonly first: number
  readonly count: number
} {
  const level = Math.floor(height / tileHeight)
  const count = 2 ** (height - level * tileHeight)
  const first = index * count
  return { level, tile: Math.floor(first / tileWidth), first: first % tileWidth, count }
}

/**
 * Parses a path after `tile/`: `<L>/<N>`, `<L>/<N>.p/<W>`, or `entries` as the level. N is written in groups of three digits, all but
 * the last with an x: x001/x234/067. Null for any other text, so that each tile has one name.
 */
export function parseTilePath(path: string): TileName | null {
  const parts = /^(entries|\d)\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(path)
  if (!parts) return null
  const [, level = '', groups = '', partial] = parts
  // Leading groups of zeros would be a second name.
  if (groups.startsWith('x000/')) return null
  const name = {
    level: level === 'entries' ? 0 : Number(level),
    tile: Number(groups.replaceAll(/[x/]/g, '')),
    width: partial === undefined ? tileWidth : Number(partial),
    isEntries: level === 'entries',
  }
  return name.level > tileLevelMax || (partial !== undefined && name.width >= tileWidth) ? null : name
}

export function formatTilePath({ level, tile, width, isEntries }: TileName): string {
  const digits = String(tile)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? []
  const number = groups.map((group, index) => (index < groups.length - 1 ? `x${group}` : group)).join('/')
  return `${isEntries ? 'entries' : level}/${number}${width === tileWidth ? '' : `.p/${width}`}`
}

/** An entry bundle of tlog-tiles: every leaf with its length before it, as two bytes. */
export function entryBundle(leaves: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(leaves.reduce((sum, { length }) => sum + 2 + length, 0))
  let at = 0
  for (const leaf of leaves) {
    bytes[at] = leaf.length >> 8
    bytes[at + 1] = leaf.length & 255
    bytes.set(leaf, at + 2)
    at += 2 + leaf.length
  }
  return bytes
}
