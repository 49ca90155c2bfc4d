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
    isHosts: z.boolean().describe('Whether the host itself made it: then it can be paused, not changed or removed'),
    nextDueAt: instant.optional(),
    lastDueAt: instant.optional().describe('The due time it last started a job for'),
  })
  .meta({ id: 'Schedule', description: 'A job that is started again and again.', examples: [scheduleView] })

export const ScheduleList = z.strictObject({ schedules: list(Schedule) }).meta({
  id: 'ScheduleList',
  description: 'All schedules of the tenant, those of the host included.',
  examples: [{ schedules: [scheduleView] }],
})

export const ScheduleDraft = z
  .strictObject({
    id: z.string().describe('Letters, digits and . _ -, at most 64'),
    cron,
    kind: z.string().describe('A pass that is safe to repeat, such as `colophon.re-redact`'),
    payload: z.unknown().optional().describe('Any JSON value; the job gets it'),
  })
  .meta({ id: 'ScheduleDraft', description: 'A schedule to make or to replace.', examples: [schedule] })
