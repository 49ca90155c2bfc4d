import { type Hash, isSameHash } from './merkle.ts'
import { isConsistent, type TreeHead } from './proofs.ts'

/**
 * How a newer checkpoint follows a kept one: `same`, `grown` with a valid proof, `shrunk` when it has fewer records, or `split` when the
 * two belong to different histories. A log that signed both `split` or `shrunk` checkpoints has shown two histories.
 */
export type Continuation = 'same' | 'grown' | 'shrunk' | 'split'

/** `proof` is the consistency proof from the kept to the newer size; null when the log gave none. */
export function continuationOf(kept: TreeHead, newer: TreeHead, proof: readonly Hash[] | null): Continuation {
  if (newer.size < kept.size) return 'shrunk'
  if (newer.size === kept.size) return isSameHash(kept.root, newer.root) ? 'same' : 'split'
  return proof !== null && isConsistent(kept, newer, proof) ? 'grown' : 'split'
}
