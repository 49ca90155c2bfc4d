import type { Engine } from '../app/engine.ts'
import { historyJobKind } from '../app/retention/prune-history.ts'
import { expiryJobKind } from '../app/retention/sweep-expired.ts'
import type { Tenant } from '../app/tenant.ts'
import { sha256 } from '../core/audit/digest.ts'
import { redactSchedule } from '../core/redaction/redaction.ts'
import { nextDue } from './cron-schedules.ts'

/** The upkeep schedules of a tenant. The minute follows from the tenant id, so that not all tenants are due at once. */
function upkeepOf(tenantId: string) {
  const minute = Number.parseInt(sha256(tenantId).slice(0, 8), 16) % 60
  return [
    { scheduleId: 'expiry-sweep', cron: `${minute} */6 * * *`, kind: expiryJobKind },
    { scheduleId: 'history-retention', cron: `${minute} 2 * * *`, kind: historyJobKind },
  ]
}

/** Creates the upkeep schedules that a tenant lacks. Existing ones do not change, paused ones included. */
export async function scheduleUpkeep(tenant: Tenant): Promise<void> {
  const known = new Set((await tenant.storage.jobs.schedules(tenant.id)).map(({ scheduleId }) => scheduleId))
  for (const schedule of upkeepOf(tenant.id)) {
    if (known.has(schedule.scheduleId)) continue
    const full = { ...schedule, payload: null, nextDueAt: nextDue(schedule.cron, tenant.now()), lastDueAt: null }
    // All texts are the host's own, so there is nothing to redact.
    await tenant.storage.jobs.putSchedule(
      tenant.id,
      redactSchedule(full, (text) => text),
    )
  }
}

/** For every tenant, when a server starts. */
export async function scheduleUpkeepOfAll(engine: Engine, signal: AbortSignal): Promise<void> {
  // By a clock that is years ahead, a new schedule would be due in years.
  if (await engine.instants.isAhead()) return
  for (let after: string | null = null; !signal.aborted; ) {
    const tenants = await engine.storage.tenants({ after, limit: 100 })
    for (const { tenantId } of tenants) if (!signal.aborted) await scheduleUpkeep(engine.tenant(tenantId))
    after = tenants.at(-1)?.tenantId ?? null
    if (after === null) return
  }
}
