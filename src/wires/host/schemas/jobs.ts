import { z } from 'zod'
import { limits } from '../../../core/limits.ts'
import { count, instant, list } from '../../schema-parts.ts'

const jobStatus = z.enum(['queued', 'leased', 'completed', 'dead', 'cancelled'])

export const Job = z
  .strictObject({
    id: z.string(),
    kind: z.string(),
    status: jobStatus,
    priority: z.int(),
    attempts: z.int(),
    attemptsMax: z.int(),
    lostLeases: z.int(),
    runId: z.string().optional(),
    progress: z.unknown(),
    error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    result: z.unknown(),
    dueAt: instant,
    createdAt: instant,
    startedAt: instant.optional(),
    endedAt: instant.optional(),
  })
  .meta({ id: 'Job' })

export const JobPage = z.strictObject({ jobs: list(Job), cursor: z.string().optional() }).meta({ id: 'JobPage' })

export const JobQuery = z.strictObject({
  limit: count.max(limits.pageEntriesMax).optional(),
  cursor: z.string().optional(),
  status: jobStatus.optional(),
})
