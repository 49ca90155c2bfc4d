import type { ChainFault } from '../../core/audit/audit.ts'
import { invalid } from '../../core/errors.ts'
import { parseCheckpoint } from '../../core/log/checkpoint.ts'
import { GrowingTree, isSameHash, leafHash } from '../../core/log/merkle.ts'
import { isNoteSigned } from '../../core/log/note.ts'
import { tileWidth } from '../../core/log/tiles.ts'
import { createTimeSlice } from '../event-loop.ts'
import type { Tenant } from '../tenant.ts'
import { knownLogKeys, logOrigin } from './log-keys.ts'

/**
 * Whether the stored log still begins with the records that a checkpoint was made of. The root is computed from the audit records, not
 * from stored tiles: those could have been left unchanged. A text that is no checkpoint of this log is refused.
 */
export async function checkCheckpoint(tenant: Tenant, text: string): Promise<ChainFault | null> {
  const checkpoint = parseCheckpoint('checkpoint', text)
  const origin = await logOrigin(tenant)
  if (checkpoint.origin !== origin) throw invalid('checkpoint', `is of another log: its origin must be ${origin}`)
  const keys = await knownLogKeys(tenant, origin)
  if (!keys.some((key) => isNoteSigned(checkpoint.note, key)))
    throw invalid('checkpoint', 'has no valid signature of a key of this log: compare it with GET log/keys')
  const fault: ChainFault = { position: checkpoint.size, problem: 'checkpoint' }
  const clock = await tenant.storage.clock(tenant.id)
  if (checkpoint.size > (clock?.position ?? 0)) return fault
  const tree = new GrowingTree()
  const yieldToEventLoop = createTimeSlice()
  while (tree.size < checkpoint.size) {
    const width = Math.min(tileWidth, checkpoint.size - tree.size)
    await yieldToEventLoop()
    const hashes = await tenant.storage.log.recordHashes(tenant.id, tree.size + 1, tree.size + width)
    if (hashes.length < width) return fault
    for (const hash of hashes) tree.add(leafHash(Buffer.from(hash, 'hex')))
  }
  return isSameHash(tree.root(), checkpoint.root) ? null : fault
}
