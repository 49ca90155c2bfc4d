import { z } from 'zod'
import { checkCompactedRef, checkInputEntries, checkOutputBytes } from '../../../core/compaction/policy.ts'
import { limits } from '../../../core/limits.ts'
import { count, cursorLike, instant, list, nextCursor, withCheck } from '../../schema-parts.ts'
import { mergeReason } from './consolidations.ts'

export const CompactionRequest = z
  .strictObject({
    memoryRef: withCheck(z.string(), checkCompactedRef),
    dryRun: z.boolean().optional().describe('Only report what would be compacted'),
    maxInputEntries: withCheck(z.int(), checkInputEntries)
      .optional()
      .describe(`The maximum number of entries that become one, 2 to ${limits.compactionSourcesMax}`),
    maxOutputBytes: withCheck(z.int(), checkOutputBytes)
      .optional()
      .describe('The maximum size of a summary in UTF-8 bytes'),
    minAgeDays: z.int().min(0).optional().describe('Younger entries are not compacted'),
    keepNewest: z.int().min(0).optional().describe('This many of the newest entries are not compacted'),
  })
  .meta({
    id: 'CompactionRequest',
    description: 'A compaction pass over one ref. Omitted limits, and the tags, are those of the tenant’s policy.',
    examples: [{ memoryRef: 'agents/ada', minAgeDays: 30, keepNewest: 20 }],
  })

export const CompactionStarted = z.strictObject({ id: z.string(), jobId: z.string() }).meta({
  id: 'CompactionStarted',
  description: 'The id of the first compaction of the pass, and the id of its job.',
  examples: [{ id: 'cmp_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d30', jobId: 'job_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d30' }],
})

const PlannedCompaction = z
  .strictObject({
    sourceCount: z.int(),
    bytes: z.int().describe('UTF-8 bytes of the sources'),
    subject: z.string().nullable(),
    expiresAt: instant.optional(),
  })
  .meta({ id: 'PlannedCompaction', description: 'A group of entries that would become one.' })

export const CompactionDryRun = z
  .strictObject({
    sourceIds: list(z.string()).describe(`At most ${limits.compactionDryRunSourcesMax}`),
    sourceCount: z.int(),
    compactions: list(PlannedCompaction),
  })
  .meta({
    id: 'CompactionDryRun',
    description: 'What the compaction pass would do now.',
    examples: [
      {
        sourceIds: ['mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11', 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d13'],
        sourceCount: 2,
        compactions: [{ sourceCount: 2, bytes: 310, subject: 'ada' }],
      },
    ],
  })

const compaction = {
  id: 'cmp_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d30',
  memoryRef: 'agents/ada',
  status: 'completed',
  outputId: 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d14',
  sourceCount: 2,
  sourceIds: ['mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11', 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d13'],
  byteSize: 184,
  runId: 'run_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d31',
  summariser: 'extractive',
  at: '2026-03-01T12:00:00.000Z',
}

export const Compaction = z
  .strictObject({
    id: z.string(),
    memoryRef: z.string(),
    status: z
      .enum(['pending', 'completed', 'undone', 'empty', 'failed', 'cancelled'])
      .describe('`empty`: there was nothing to compact'),
    outputId: z.string().nullable().describe('The entry that the sources became'),
    sourceCount: z.int(),
    sourceIds: list(z.string())
      .optional()
      .describe(`All source ids; omitted in lists if there are more than ${limits.compactionSourcesShownMax}`),
    byteSize: z.int(),
    runId: z.string().nullable(),
    summariser: z.string().nullable(),
    reason: mergeReason.optional(),
    at: instant,
    undoneAt: instant.optional(),
    error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'Compaction', description: 'Many entries that became one.', examples: [compaction] })

export const CompactionPage = z.strictObject({ compactions: list(Compaction), cursor: nextCursor }).meta({
  id: 'CompactionPage',
  description: 'One page of compactions, newest first.',
  examples: [{ compactions: [compaction] }],
})

export const CompactionQuery = z.strictObject({
  memoryRef: z.string().optional(),
  limit: count.optional(),
  cursor: cursorLike(/^cmp_[\w-]{1,64}$/).optional(),
})
