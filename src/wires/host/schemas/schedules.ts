import { z } from 'zod'
import { instant, list } from '../../schema-parts.ts'

export const Schedule = z
  .strictObject({
    id: z.string(),
    cron: z.string().describe('Five or six fields, UTC'),
    kind: z.string(),
    payload: z.unknown(),
    status: z.enum(['active', 'paused']),
    isHosts: z.boolean().describe('Whether the host itself made it: then it can be paused, not changed or removed'),
    nextDueAt: instant.optional(),
    lastDueAt: instant.optional().describe('The due time it last started a job for'),
  })
  .meta({ id: 'Schedule' })

export const ScheduleList = z.strictObject({ schedules: list(Schedule) }).meta({ id: 'ScheduleList' })

export const ScheduleDraft = z
  .strictObject({ id: z.string(), cron: z.string(), kind: z.string(), payload: z.unknown().optional() })
  .meta({ id: 'ScheduleDraft' })
