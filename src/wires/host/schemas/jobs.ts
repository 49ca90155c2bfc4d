import { z } from 'zod'
import { limits } from '../../../core/limits.ts'
import { count, cursor, instant, list, nextCursor } from '../../schema-parts.ts'

const jobStatus = z.enum(['queued', 'leased', 'completed', 'dead', 'cancelled'])

const job = {
  id: 'job_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d20',
  kind: 'colophon.re-redact',
  status: 'completed',
  priority: 0,
  attempts: 1,
  attemptsMax: 3,
  lostLeases: 0,
  progress: { scanned: 1_204, changed: 2 },
  error: null,
  result: { scanned: 1_204, changed: 2 },
  dueAt: '2026-03-01T12:00:00.000Z',
  createdAt: '2026-03-01T12:00:00.000Z',
  startedAt: '2026-03-01T12:00:00.120Z',
  endedAt: '2026-03-01T12:00:03.480Z',
}

export const Job = z
  .strictObject({
    id: z.string(),
    kind: z.string(),
    status: jobStatus.describe('`dead`: a dead letter. Every attempt failed, and only a retry queues it again'),
    priority: z.int(),
    attempts: z.int(),
    attemptsMax: z.int(),
    lostLeases: z.int().describe('How often a worker crashed or stopped while it had the lease'),
    runId: z.string().optional().describe('The run that it executes or reports'),
    progress: z.unknown(),
    error: z
      .strictObject({
        code: z.string(),
        message: z.string(),
        status: z.int().optional().describe('What the receiver of a delivery answered'),
      })
      .nullable(),
    result: z.unknown(),
    dueAt: instant,
    createdAt: instant,
    startedAt: instant.optional(),
    endedAt: instant.optional(),
  })
  .meta({ id: 'Job', description: 'A background job of a tenant.', examples: [job] })

export const JobPage = z
  .strictObject({ jobs: list(Job), cursor: nextCursor })
  .meta({ id: 'JobPage', description: 'One page of jobs, newest first.', examples: [{ jobs: [job] }] })

export const JobQuery = z.strictObject({
  limit: count.max(limits.pageEntriesMax).optional(),
  cursor: cursor.optional(),
  status: jobStatus.optional(),
})
