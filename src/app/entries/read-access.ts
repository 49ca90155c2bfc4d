import { fullAccess, isReadableBy, type ReadAccess } from '../../core/entries/access.ts'
import { checkReader, type Readers, readerForbidden } from '../../core/entries/readers.ts'
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
  return { trustMin: trustMin ?? floorOfRun ?? (await trustFloorOf(tenant)), reader: tenant.reader }
}

/** What a read by id may see: every class that the reader of the handle may see. */
export function wholeAccess({ reader }: Pick<Tenant, 'reader'>): ReadAccess {
  return { ...fullAccess, reader }
}

/** The class below which memory is in quarantine: stored, but returned on request only. */
export function trustFloorOf(tenant: Tenant): Promise<Trust> {
  return tenant.engine.credentials.trustFloor(tenant.id)
}

/** The handle for a read that names a reader. A handle of a reader cannot read for another one. */
export function forReader(tenant: Tenant, reader: string | undefined, field = 'reader'): Tenant {
  if (reader === undefined) return tenant
  checkReader(field, reader)
  if (tenant.reader !== null && tenant.reader !== reader) throw readerForbidden('The key is bound to another reader.')
  return tenant.reader === reader ? tenant : tenant.withReader(reader)
}

/** Whether the caller may see what has these readers. */
export function mayRead({ reader }: Pick<Tenant, 'reader'>, readers: Readers): boolean {
  return isReadableBy(readers, reader)
}
