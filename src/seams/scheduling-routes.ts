import { z } from 'zod'
import { startRunJobKind } from '../app/runs/scheduled-run.ts'
import { redactSchedule } from '../core/redaction/redaction.ts'
import { type App, principalOf, type RouteParts } from '../http/route-context.ts'
import { fireSchedule } from '../jobs/cron-schedules.ts'

const Tick = z.looseObject({
  scenario: z.enum(['single-tick', 'missed-window']),
  missedTicks: z.int().min(1).max(1_000).default(1),
})

const minuteMs = 60_000

/** Makes a schedule due in the past and lets two workers find it, for conformance tests. The answer counts what was started. */
export function schedulingSeams(app: App, { engine }: RouteParts): void {
  app.post(
    '/v1/host/sample/scheduling/tick',
    { config: { access: 'memory:admin' }, schema: { hide: true, body: Tick } },
    async (request) => {
      const tenant = engine.tenant(principalOf(request).tenantId)
      const { scenario, missedTicks } = request.body
      const dueAt = tenant.now() - (scenario === 'single-tick' ? 1 : missedTicks * minuteMs)
      const schedule = {
        scheduleId: tenant.system.newId('job'),
        cron: '* * * * *',
        kind: startRunJobKind,
        payload: { workflowId: 'conformance-noop' },
        nextDueAt: dueAt,
        lastDueAt: null,
      }
      await tenant.storage.jobs.putSchedule(
        tenant.id,
        redactSchedule(schedule, (text) => text),
      )
      const fired = await Promise.all([fireSchedule(tenant, schedule), fireSchedule(tenant, schedule)])
      const stored = await tenant.storage.jobs.schedules(tenant.id)
      // A worker of this server may have been first.
      const isFired = stored.find(({ scheduleId }) => scheduleId === schedule.scheduleId)?.lastDueAt === dueAt
      await tenant.storage.jobs.removeSchedule(tenant.id, schedule.scheduleId)
      engine.workers.wake()
      return { runsFired: Math.max(fired.filter(Boolean).length, Number(isFired)) }
    },
  )
}
