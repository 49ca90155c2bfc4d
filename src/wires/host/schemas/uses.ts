import { z } from 'zod'
import { instant, list, position } from '../../schema-parts.ts'

export const EntryUses = z
  .strictObject({
    runs: list(
      z.strictObject({
        runId: z.string(),
        workflowId: z.string(),
        status: z.string(),
        nodeId: z.string(),
        version: z.int().describe('The version of the entry that the run read'),
        position,
        at: instant,
      }),
    ).describe('The last read of each run, newest run first'),
    runsSearched: z.int(),
    isComplete: z.boolean().describe('False if there are older runs, which were not searched'),
    derived: list(z.strictObject({ compactionId: z.string(), outputId: z.string(), at: instant })),
  })
  .meta({
    id: 'EntryUses',
    description: 'The runs that read an entry, and the compactions that were made of it.',
    examples: [
      {
        runs: [
          {
            runId: 'run_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d12',
            workflowId: 'answer',
            status: 'completed',
            nodeId: 'recall',
            version: 1,
            position: 42,
            at: '2026-03-01T12:00:00.000Z',
          },
        ],
        runsSearched: 5,
        isComplete: true,
        derived: [],
      },
    ],
  })
