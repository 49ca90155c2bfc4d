import { z } from 'zod'
import { runStatuses } from '../../../core/run/run.ts'
import { count, instant, list } from '../../schema-parts.ts'

const status = z.enum(runStatuses)

export const RunPage = z
  .strictObject({
    runs: list(
      z.strictObject({
        runId: z.string(),
        workflowId: z.string(),
        workflowVersion: z.int(),
        status,
        tags: list(z.string()),
        createdAt: instant,
        completedAt: instant.optional(),
        parentRunId: z.string().optional(),
        sourceRunId: z.string().optional(),
      }),
    ),
    cursor: z.string().optional(),
  })
  .meta({ id: 'RunPage' })

export const RunListQuery = z.strictObject({
  limit: count.optional(),
  cursor: z.string().optional(),
  status: status.optional(),
  workflowId: z.string().optional(),
})

export const RunReads = z
  .strictObject({
    snapshot: z.strictObject({ position: z.int(), at: instant }),
    reads: list(
      z.strictObject({
        sequence: z.int(),
        nodeId: z.string(),
        op: z.string(),
        memoryRef: z.string(),
        entryIds: list(z.string()),
        position: z.int(),
        at: instant,
        forgotten: z.int().optional().describe('how many more it was given that were forgotten since'),
      }),
    ),
  })
  .meta({ id: 'RunReads', description: 'What a run saw, in identifiers.' })
