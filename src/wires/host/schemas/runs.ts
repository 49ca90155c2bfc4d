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

const RunRead = z
  .strictObject({
    sequence: z.int(),
    nodeId: z.string(),
    op: z.string().describe('`list`, `get` or `search`'),
    memoryRef: z.string(),
    entryIds: list(z.string()),
    position: z.int(),
    at: instant,
    forgotten: z.int().optional().describe('How many more entries it returned that were forgotten since'),
  })
  .meta({ id: 'RunRead', description: 'One read of memory by a node.' })

export const RunReads = z
  .strictObject({ snapshot: z.strictObject({ position: z.int(), at: instant }), reads: list(RunRead) })
  .meta({
    id: 'RunReads',
    description: 'The snapshot that a run reads at, and each of its reads, in identifiers.',
    examples: [
      {
        snapshot: { position: 42, at: '2026-03-01T12:00:00.000Z' },
        reads: [
          {
            sequence: 3,
            nodeId: 'recall',
            op: 'list',
            memoryRef: 'agents/ada',
            entryIds: ['mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11'],
            position: 42,
            at: '2026-03-01T12:00:01.000Z',
          },
        ],
      },
    ],
  })
