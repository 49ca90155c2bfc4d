import { isExpired } from '../../core/entries/view.ts'
import { ColophonError } from '../../core/errors.ts'
import { loadSettings } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'

/** What a recorded call returned, and when it was made. */
type RecordedRead = { readonly expiresAt: number | null; readonly readAt: number }

/**
 * Whether one of these has expired since and may not be returned again. An entry past its `expiresAt` is not returned; a
 * tenant may allow replays of what was read before.
 */
export async function isExpiredForReplay(tenant: Tenant, reads: readonly RecordedRead[]): Promise<boolean> {
  const now = tenant.now()
  const expired = reads.filter((read) => isExpired(read, now))
  if (expired.length === 0) return false
  if (expired.some((read) => isExpired(read, read.readAt))) return true
  return (await loadSettings(tenant.storage, tenant.id)).replayExpired !== 'allow'
}

/** For a replay that comes to such an entry: it lived when the fork was made. */
export async function refuseExpired(tenant: Tenant, reads: readonly RecordedRead[]): Promise<void> {
  if (!(await isExpiredForReplay(tenant, reads))) return
  throw new ColophonError('replay_memory_snapshot_unavailable', 'Something that the run read has expired since.', {
    details: { reason: 'retention_expired', cause: 'expired' },
  })
}
