/** What a memory call of a node does. */
export type MemoryOperation = 'list' | 'get' | 'search' | 'put' | 'delete'

/** One memory call of a node, in identifiers only: what the run read and wrote. A replay repeats it. */
export type MemoryCall = {
  /** The number of the call in the run, from 0. */
  readonly ordinal: number
  /** The sequence of the next event when the call was made; for a write, the sequence of its own event. */
  readonly sequence: number
  readonly nodeId: string
  readonly op: MemoryOperation
  readonly memoryRef: string
  /** A search also records the score of each entry: a replay must return the same result. */
  readonly entries: readonly { readonly id: string; readonly version: number; readonly score?: number }[]
  /** How many further entries of the call were forgotten since. */
  readonly forgotten?: number
  readonly position: number
  readonly at: number
}

/** A stored memory call without the entries that were forgotten. */
export type ShortenedCall = Pick<MemoryCall, 'ordinal' | 'memoryRef' | 'entries'> & { readonly forgotten: number }
