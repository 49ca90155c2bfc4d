import { z } from 'zod'
import { instant, list } from '../../schema-parts.ts'

const cron = z.string().describe('Five or six fields, UTC')
const schedule = { id: 'nightly-redaction', cron: '0 3 * * *', kind: 'colophon.re-redact', payload: { dryRun: false } }
const scheduleView = {
  ...schedule,
  status: 'active',
  isHosts: false,
  nextDueAt: '2026-03-02T03:00:00.000Z',
  lastDueAt: '2026-03-01T03:00:00.000Z',
}

export const Schedule = z
  .strictObject({
    id: z.string(),
    cron,
    kind: z.string(),
    payload: z.unknown(),
    status: z.enum(['active', 'paused']),
    isHosts: z
      .boolean()
      .describe('Whether it is a schedule of the host, which can be paused, but not changed or removed'),
    nextDueAt: instant.optional(),
    lastDueAt: instant.optional().describe('The due time of its last job'),
  })
  .meta({ id: 'Schedule', description: 'A recurring job.', examples: [scheduleView] })

export const ScheduleList = z.strictObject({ schedules: list(Schedule) }).meta({
  id: 'ScheduleList',
  description: 'All schedules of the tenant, those of the host included.',
  examples: [{ schedules: [scheduleView] }],
})

export const ScheduleDraft = z
  .strictObject({
    id: z.string().describe('Letters, digits and . _ -, at most 64'),
    cron,
    kind: z.string().describe('The kind of job, which must be safe to repeat, such as `colophon.re-redact`'),
    payload: z.unknown().optional().describe('The payload of the job: any JSON value'),
  })
  .meta({ id: 'ScheduleDraft', description: 'A schedule to create or to replace.', examples: [schedule] })
