import { ColophonError } from '../../core/errors.ts'
import type { Engine } from '../engine.ts'
import { verify } from './verify.ts'

/** Verifies every record and every content of every tenant; what does not hold is an error that names the place. */
export async function verifyTenants(
  engine: Engine,
): Promise<{ readonly tenantId: string; readonly position: number }[]> {
  const verified: { tenantId: string; position: number }[] = []
  for (let after: string | null = null; ; ) {
    const page = await engine.storage.tenants({ after, limit: 100 })
    for (const { tenantId } of page) {
      const verdict = await verify(engine.tenant(tenantId), { contents: true })
      if (!verdict.ok) throw brokenAudit(tenantId, verdict.fault?.position ?? 0, verdict.fault?.problem ?? 'missing')
      verified.push({ tenantId, position: verdict.to })
    }
    after = page.at(-1)?.tenantId ?? null
    if (after === null) return verified
  }
}

function brokenAudit(tenantId: string, position: number, problem: string): ColophonError {
  const message = `What is stored is not what the audit recorded (${problem} at position ${position}).`
  return new ColophonError('storage_corrupt', message, { details: { tenant: tenantId, position, problem } })
}
