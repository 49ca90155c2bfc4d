import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { ExportHeader } from '../../core/portable/export-lines.ts'
import type { Engine } from '../engine.ts'
import type { ForgetFacts } from '../forget/forget-record.ts'
import type { Tenant } from '../tenant.ts'

/** The position of the tenant's newest fence, of running and of completed forgets; 0 when there was none. */
export async function newestFence({ storage }: Engine, tenantId: string): Promise<number> {
  let newest = Math.max(0, ...(await storage.forget.fences(tenantId)).map(({ position }) => position))
  const limit = limits.pageEntriesMax
  for (let after: string | null = null; ; ) {
    const page = await storage.records({ tenantId, kind: 'forget', after, limit })
    for (const { body } of page) newest = Math.max(newest, (body.facts as ForgetFacts).fencedPosition ?? 0)
    after = page.at(-1)?.id ?? null
    if (after === null || page.length < limit) return newest
  }
}

/**
 * Refuses a file that this tenant exported before it forgot something: the import would restore the forgotten data. Such a file is
 * recognised by its header, whose hash is that of the tenant's own audit record. Files of other tenants are accepted.
 */
export async function checkNotForgotten(
  tenant: Tenant,
  { position, head }: Pick<ExportHeader, 'position' | 'head'>,
): Promise<void> {
  if (position === 0) return
  const [row] = await tenant.storage.audit({ tenantId: tenant.id, from: position, to: position, limit: 1 })
  if (row?.hash !== head || (await newestFence(tenant.engine, tenant.id)) <= position) return
  throw new ColophonError('import_before_forget', 'The tenant forgot something after this file was made.')
}
