import { keyOfActor } from '../../core/access/actor.ts'
import type { EntryVersion, Origin } from '../../core/entries/entry.ts'
import { actorOfWrite, isAuthorRecorded } from '../../core/entries/entry-audit.ts'
import type { Tenant } from '../tenant.ts'

/**
 * The origin of a content that the next version keeps. It includes the key that wrote the content, because the audit record of the next
 * version names another one.
 */
export async function originOfContent(tenant: Tenant, entry: EntryVersion): Promise<Origin> {
  const { origin, recordedPosition: position } = entry
  if (origin.kind !== 'api' || !isAuthorRecorded(entry)) return origin
  const [row] = await tenant.storage.audit({ tenantId: tenant.id, from: position, to: position, limit: 1 })
  return { ...origin, ...keyOfActor(actorOfWrite(row, entry.entryId) ?? '') }
}
