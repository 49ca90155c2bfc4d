import { z } from 'zod'
import { missedPolicies } from '../../../core/jobs/schedule.ts'
import { instant, list } from '../../schema-parts.ts'

const cron = z.string().describe('Five or six fields, such as `0 9 * * 1-5`')
const timezone = z.string().describe('The IANA name of the time zone of `cron`; UTC by default')
const missed = z
  .enum(missedPolicies)
  .describe('After downtime: `once` starts one job for all missed due times, `skip` none')
const schedule = { id: 'nightly-redaction', cron: '0 3 * * *', kind: 'colophon.re-redact', payload: { dryRun: false } }
const scheduleView = {
  ...schedule,
  status: 'active',
  isHosts: false,
  hasDryRun: true,
  nextDueAt: '2026-03-02T03:00:00.000Z',
  lastDueAt: '2026-03-01T03:00:00.000Z',
}

export const Schedule = z
  .strictObject({
    id: z.string(),
    cron: cron.optional(),
    timezone: timezone.optional(),
    at: instant.optional().describe('The due time of a schedule that has one only'),
    kind: z.string(),
    payload: z.unknown(),
    status: z.enum(['active', 'paused', 'over']).describe('`over`: its only due time has passed'),
    isHosts: z
      .boolean()
      .describe('Whether it is a schedule of the host, which can be paused, but not changed or removed'),
    hasDryRun: z.boolean().describe('Whether `:run` with `dryRun` says what its job would do'),
    nextDueAt: instant.optional(),
    lastDueAt: instant.optional().describe('The due time of its last job'),
  })
  .meta({ id: 'Schedule', description: 'A recurring job.', examples: [scheduleView] })

export const ScheduleList = z.strictObject({ schedules: list(Schedule) }).meta({
  id: 'ScheduleList',
  description: 'All schedules of the tenant, those of the host included.',
  examples: [{ schedules: [scheduleView] }],
})

export const ScheduleRun = z
  .strictObject({
    dryRun: z
      .boolean()
      .optional()
      .describe(
        'Only say what would be done: the result of the job has counts, and `summary` in words. Nothing is stored.',
      ),
  })
  .nullish()
  .meta({ id: 'ScheduleRun', description: 'How a schedule is run now.', examples: [{ dryRun: true }] })

export const ScheduleDraft = z
  .strictObject({
    id: z.string().describe('Letters, digits and . _ -, at most 64'),
    cron: cron.optional(),
    timezone: timezone.optional(),
    at: instant.optional().describe('Instead of `cron`: one due time'),
    delayMs: z.int().optional().describe('Instead of `cron`: due once, so many milliseconds from now'),
    kind: z.string().optional().describe('The kind of job, which must be safe to repeat, such as `colophon.re-redact`'),
    payload: z.unknown().optional().describe('The payload of the job: any JSON value'),
    workflowId: z.string().optional().describe('Instead of `kind`: starts a run of this workflow'),
    inputs: z.record(z.string(), z.unknown()).optional().describe('The inputs of the run'),
    missed: missed.optional(),
  })
  .meta({
    id: 'ScheduleDraft',
    description: 'A schedule to create or to replace.',
    examples: [{ id: 'briefing', cron: '0 9 * * 1-5', timezone: 'Europe/Berlin', workflowId: 'visit' }],
  })
