import type { Outcome } from '../../core/commit/batch.ts'
import { isExpired } from '../../core/entries/as-of.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { ColophonError } from '../../core/errors.ts'
import type { CommitOptions } from '../commit.ts'
import type { Tenant } from '../tenant.ts'

/**
 * The versions that the first call with an idempotency key stored, for the response to a retry. If an entry was deleted, expired or
 * forgotten since, the retry is refused with `content_erased`: it must not return a text that no read returns.
 */
export async function repeatedVersions(tenant: Tenant, { entries }: Outcome): Promise<readonly EntryVersion[]> {
  const ids = [...new Set(entries.map(({ entryId }) => entryId))]
  const [versions, newest] = await Promise.all([
    tenant.storage.versions(tenant.id, entries),
    tenant.storage.provenance.newestVersions(tenant.id, ids),
  ])
  const now = tenant.expiryNow()
  const isUnreadable = (version: EntryVersion) => version.endedReason === 'deleted' || isExpired(version, now)
  if (versions.length < entries.length || newest.length < ids.length || newest.some(isUnreadable)) throw contentErased()
  return versions
}

/** Refuses the retry of a call whose entry was deleted since with `content_erased` instead of `not_found`. */
export async function refuseErasedRetry(tenant: Tenant, options: CommitOptions): Promise<void> {
  if (options.idempotencyKey !== undefined && (await tenant.findOutcome(options)) !== null) throw contentErased()
}

function contentErased(): ColophonError {
  return new ColophonError(
    'content_erased',
    'The entry that the first call with this idempotency key stored was erased.',
  )
}
