import type { ReadAccess } from '../../core/entries/access.ts'
import { checkTrust, type Trust } from '../../core/entries/trust.ts'
import type { Tenant } from '../tenant.ts'

/** What a read asks for beyond its defaults. */
export type ReadAccessOptions = {
  /** Only what has at least this class. Without it, the tenant's setting `trustFloorRead`; a run has the one it was created with. */
  readonly trustMin?: Trust | undefined
}

/** What a read of many entries may see. Reads by id see every class: what they return says its class. */
export async function readAccess(
  tenant: Tenant,
  { trustMin }: ReadAccessOptions,
  floorOfRun?: Trust | undefined,
): Promise<ReadAccess> {
  if (trustMin !== undefined) checkTrust('trustMin', trustMin)
  return { trustMin: trustMin ?? floorOfRun ?? (await trustFloorOf(tenant)), reader: null }
}

/** The class below which memory is in quarantine: stored, but returned on request only. */
export function trustFloorOf(tenant: Tenant): Promise<Trust> {
  return tenant.engine.credentials.trustFloor(tenant.id)
}
