import type { Outcome } from '../../core/commit/batch.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { isExpired } from '../../core/entries/view.ts'
import { ColophonError } from '../../core/errors.ts'
import type { CommitOptions } from '../commit.ts'
import type { Tenant } from '../tenant.ts'

/**
 * What the first call with an idempotency key stored, for the answer to its repeat. An entry that was deleted, has expired or
 * was forgotten since is not shown again: a retry must not bring back a text that no read returns any more.
 */
export async function repeatedVersions(tenant: Tenant, { entries }: Outcome): Promise<readonly EntryVersion[]> {
  const ids = [...new Set(entries.map(({ entryId }) => entryId))]
  const [versions, newest] = await Promise.all([
    tenant.storage.versions(tenant.id, entries),
    tenant.storage.provenance.newestVersions(tenant.id, ids),
  ])
  const now = tenant.now()
  const isGone = (version: EntryVersion) => version.endedReason === 'deleted' || isExpired(version, now)
  if (versions.length < entries.length || newest.length < ids.length || newest.some(isGone)) throw contentErased()
  return versions
}

/** A retry of a call whose memory is gone since is refused as `content_erased`, not as `not_found`. */
export async function refuseErasedRetry(tenant: Tenant, options: CommitOptions): Promise<void> {
  if (options.idempotencyKey !== undefined && (await tenant.findOutcome(options)) !== null) throw contentErased()
}

function contentErased(): ColophonError {
  return new ColophonError('content_erased', 'What the first call with this idempotency key stored is gone.')
}
