import { scheduleDaily } from '../daily-schedule.ts'
import type { Tenant } from '../tenant.ts'
import type { CompactionTrigger } from './maintenance-run.ts'

/** The daily pass over every ref of a tenant. */
export const compactionPassKind = 'colophon.compaction-pass'
/** The pass over one ref that a client requested. */
export const compactionJobKind = 'colophon.compact'

/** The id of the daily schedule in every tenant. */
export const compactionScheduleId = 'compaction'

/** The payload of a pass that a client started by running the schedule now. */
export const requestedPass = { trigger: 'client-requested' } as const

/** The trigger of a pass, from the payload of its job. */
export function triggerOf(payload: unknown): CompactionTrigger {
  const { trigger } = (payload ?? {}) as { trigger?: unknown }
  return trigger === requestedPass.trigger ? requestedPass.trigger : 'host-managed'
}

/** Creates the tenant's schedule if it has none: every day at 03:40 UTC. After downtime one pass makes up for all missed days. */
export async function scheduleCompaction(tenant: Tenant): Promise<void> {
  const at = { hour: 3, minute: 40 }
  await scheduleDaily(tenant, { scheduleId: compactionScheduleId, kind: compactionPassKind, payload: null, ...at })
}
