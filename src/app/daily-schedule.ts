import type { Schedule } from '../core/jobs/schedule.ts'
import { redactSchedule } from '../core/redaction/redaction.ts'
import type { Tenant } from './tenant.ts'

const dayMs = 24 * 60 * 60 * 1_000

/** Creates a daily schedule of the host if the tenant has none with this id. An existing one keeps its time. */
export async function scheduleDaily(
  tenant: Tenant,
  {
    hour,
    minute,
    ...schedule
  }: Pick<Schedule, 'scheduleId' | 'kind' | 'payload'> & { readonly hour: number; readonly minute: number },
): Promise<void> {
  const known = await tenant.storage.jobs.schedules(tenant.id)
  if (known.some(({ scheduleId }) => scheduleId === schedule.scheduleId)) return
  const { redaction } = await tenant.context()
  const now = tenant.now()
  const today = Math.floor(now / dayMs) * dayMs + (hour * 60 + minute) * 60 * 1_000
  const nextDueAt = today > now ? today : today + dayMs
  const daily = { ...schedule, cron: `${minute} ${hour} * * *`, nextDueAt, lastDueAt: null }
  await tenant.storage.jobs.putSchedule(
    tenant.id,
    await redaction.redact(({ scanNames }) => redactSchedule(daily, scanNames)),
  )
}
