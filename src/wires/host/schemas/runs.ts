import { z } from 'zod'
import { runStatuses } from '../../../core/run/run.ts'
import { count, instant, list } from '../../schema-parts.ts'

const status = z.enum(runStatuses)

const RunSummary = z
  .strictObject({
    runId: z.string(),
    workflowId: z.string(),
    workflowVersion: z.int(),
    status,
    tags: list(z.string()),
    createdAt: instant,
    completedAt: instant.optional(),
    parentRunId: z.string().optional(),
    sourceRunId: z.string().optional().describe('The run that this one is a fork of'),
  })
  .meta({ id: 'RunSummary', description: 'A run, as a list shows it.' })

export const RunPage = z
  .strictObject({
    runs: list(RunSummary),
    cursor: z.string().optional(),
  })
  .meta({
    id: 'RunPage',
    description: 'One page of runs, newest first.',
    examples: [
      {
        runs: [
          {
            runId: 'run_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d61',
            workflowId: 'visit',
            workflowVersion: 3,
            status: 'completed',
            tags: ['support'],
            createdAt: '2026-03-01T12:00:00.000Z',
            completedAt: '2026-03-01T12:00:02.000Z',
          },
        ],
      },
    ],
  })

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
    forgotten: z.int().optional().describe('The number of further entries it returned that were erased since'),
  })
  .meta({ id: 'RunRead', description: 'One read of memory by a node.' })

export const RunReads = z
  .strictObject({
    snapshot: z.strictObject({ position: z.int(), at: instant }),
    reader: z.string().optional().describe('The reader that the run reads for'),
    reads: list(RunRead),
  })
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

export const InterruptToken = z
  .strictObject({ token: z.string(), path: z.string().describe('Where it is read and answered') })
  .meta({
    id: 'InterruptToken',
    description: 'A token for an open interrupt. Protect it like a key.',
    examples: [{ token: 'ow2.hs256.tenant-1.eyJ0.9f2c', path: '/interrupts/ow2.hs256.tenant-1.eyJ0.9f2c' }],
  })
