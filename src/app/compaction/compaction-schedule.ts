import { redactSchedule } from '../../core/redaction/redaction.ts'
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

const dayMs = 24 * 60 * 60 * 1_000
/** Every day at 03:40 UTC. After downtime one pass makes up for all missed days. */
const cron = '40 3 * * *'
const passAt = (3 * 60 + 40) * 60 * 1_000

/** Creates the tenant's schedule if it has none. An existing one keeps its time. */
export async function scheduleCompaction(tenant: Tenant): Promise<void> {
  const known = await tenant.storage.jobs.schedules(tenant.id)
  if (known.some(({ scheduleId }) => scheduleId === compactionScheduleId)) return
  const { redaction } = await tenant.context()
  const now = tenant.now()
  const today = Math.floor(now / dayMs) * dayMs + passAt
  const schedule = {
    scheduleId: compactionScheduleId,
    cron,
    kind: compactionPassKind,
    payload: null,
    nextDueAt: today > now ? today : today + dayMs,
    lastDueAt: null,
  }
  await tenant.storage.jobs.putSchedule(
    tenant.id,
    await redaction.redact(({ scanNames }) => redactSchedule(schedule, scanNames)),
  )
}
