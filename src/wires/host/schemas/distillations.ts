import { z } from 'zod'
import { checkDistilledRef } from '../../../core/distillation/check-request.ts'
import { checkTokenBudget } from '../../../core/distillation/token-plan.ts'
import { limits } from '../../../core/limits.ts'
import { count, cursorLike, instant, list, nextCursor, withCheck } from '../../schema-parts.ts'

export const DistillationRequest = z
  .strictObject({
    memoryRef: withCheck(z.string(), checkDistilledRef),
    tokenBudget: withCheck(z.int(), checkTokenBudget)
      .optional()
      .describe(
        `The largest number of tokens of sources and archive together; at most, and by default, ${limits.distillationTokenBudgetMax}`,
      ),
    dryRun: z.boolean().optional().describe('Only report what would be read, and the smallest budget for it'),
  })
  .meta({
    id: 'DistillationRequest',
    description: 'A distillation of one ref.',
    examples: [{ memoryRef: 'agents/ada', tokenBudget: 8_000 }],
  })

export const DistillationStarted = z.strictObject({ id: z.string(), jobId: z.string() }).meta({
  id: 'DistillationStarted',
  description: 'The id of the distillation, and the id of its job.',
  examples: [{ id: 'dst_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d30', jobId: 'job_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d30' }],
})

export const DistillationDryRun = z
  .strictObject({
    memoryRef: z.string(),
    sourceCount: z.int(),
    tokenBudget: z.int().describe('The budget that would hold'),
    inputTokens: z.int().describe('Tokens of the sources'),
    minimumRequired: z.int().describe('The smallest budget with which the ref can be distilled now'),
  })
  .meta({
    id: 'DistillationDryRun',
    description: 'What the distillation would read now.',
    examples: [{ memoryRef: 'agents/ada', sourceCount: 2, tokenBudget: 8_000, inputTokens: 78, minimumRequired: 100 }],
  })

const distillation = {
  id: 'dst_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d30',
  memoryRef: 'agents/ada',
  status: 'completed',
  archiveId: 'arc_5f0c2d7a9b1e4c6d8f0a2b4c6e8f0a1b',
  archiveChecksum: '9f2c4e6a8b0d1f3e5c7a9b1d3f5e7c9a0b2d4f6e8c0a2b4d6f8e0c2a4b6d8f0e',
  sourceCount: 2,
  sourceIds: ['mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11', 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d13'],
  tokenBudget: 8_000,
  tokensUsed: 139,
  byteSize: 178,
  runId: 'run_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d31',
  summariser: 'extractive',
  at: '2026-03-01T12:00:00.000Z',
}

export const Distillation = z
  .strictObject({
    id: z.string(),
    memoryRef: z.string(),
    status: z
      .enum(['pending', 'completed', 'undone', 'empty', 'failed', 'cancelled'])
      .describe('`empty`: the ref had no entries'),
    archiveId: z.string().nullable().describe('The entry with the distilled text; read it under the same ref'),
    archiveChecksum: z
      .string()
      .nullable()
      .describe('A keyed digest: the same for the same sources, budget and summariser'),
    sourceCount: z.int(),
    sourceIds: list(z.string())
      .optional()
      .describe(`All source ids; omitted in lists if there are more than ${limits.compactionSourcesShownMax}`),
    tokenBudget: z.int(),
    tokensUsed: z.int().nullable(),
    byteSize: z.int().describe('UTF-8 bytes of the archive'),
    runId: z
      .string()
      .nullable()
      .describe('The run with the event: that of the node that distilled, or a maintenance run'),
    summariser: z.string().nullable(),
    at: instant,
    undoneAt: instant.optional(),
    error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'Distillation', description: 'The archive of a ref, and what it was made of.', examples: [distillation] })

export const DistillationPage = z.strictObject({ distillations: list(Distillation), cursor: nextCursor }).meta({
  id: 'DistillationPage',
  description: 'One page of distillations, newest first.',
  examples: [{ distillations: [distillation] }],
})

export const DistillationQuery = z.strictObject({
  memoryRef: z.string().optional(),
  limit: count.optional(),
  cursor: cursorLike(/^dst_[\w-]{1,64}$/).optional(),
})
