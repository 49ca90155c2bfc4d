import type { StartedSha256 } from '../audit/digest.ts'
import { startVersionDigest } from '../audit/row-digests.ts'
import { limits } from '../limits.ts'
import type { EntryMembers } from './parts/entries.ts'

type Puts = Pick<EntryMembers, 'puts'>

/** By batch, then by the salt of an entry, which no other has. */
const started = new WeakMap<Puts, Map<string, StartedSha256>>()

/**
 * Begins the digests of the new entries of a large batch, one in each step, before its transaction: otherwise the event loop is blocked
 * while all of them are made. No steps for other batches, whose digests are made at once in less time.
 */
export function* startDigests(batch: Puts): Generator<void> {
  let characters = 0
  for (const { content } of batch.puts) characters += content.length
  if (characters <= limits.commitGroupCharactersMax) return
  const digests = new Map<string, StartedSha256>()
  started.set(batch, digests)
  for (const put of batch.puts) {
    digests.set(put.salt, startVersionDigest(put))
    yield
  }
}

export function startedDigestsOf(batch: Puts): ReadonlyMap<string, StartedSha256> | undefined {
  return started.get(batch)
}
