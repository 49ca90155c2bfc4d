import { keyIn } from '../core/actor.ts'
import type { EntryVersion, Origin } from '../core/entry.ts'
import { writerOf } from '../core/recorded-as.ts'
import type { Tenant } from './tenant.ts'

/**
 * The origin of words that stay as they are, with the key that wrote them. The record of the next version names whoever
 * changes its tags or importance, or brings it back: that is not who said it.
 */
export async function originOfWords(tenant: Tenant, entry: EntryVersion): Promise<Origin> {
  const { origin, version, recordedPosition: position } = entry
  if (version > 1 || origin.kind !== 'api' || origin.keyId !== undefined) return origin
  const [row] = await tenant.storage.audit({ tenantId: tenant.id, from: position, to: position, limit: 1 })
  return { ...origin, ...keyIn(writerOf(row, entry.entryId) ?? '') }
}
