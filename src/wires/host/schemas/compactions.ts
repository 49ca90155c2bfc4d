import { z } from 'zod'
import { limits } from '../../../core/limits.ts'
import { count, instant, list } from '../../schema-parts.ts'

export const CompactionRequest = z
  .strictObject({
    memoryRef: z.string(),
    dryRun: z.boolean().optional().describe('Only say what would be compacted'),
    maxInputEntries: z.int().optional().describe(`Entries that may become one, at most ${limits.compactionSourcesMax}`),
    maxOutputBytes: z.int().optional().describe('UTF-8 bytes of what comes out'),
    minAgeDays: z.int().min(0).optional().describe('Younger entries stay as they are'),
    keepNewest: z.int().min(0).optional().describe('So many of the newest entries stay as they are'),
  })
  .meta({
    id: 'CompactionRequest',
    description: 'A pass over one ref. Tags and limits left out are those of the policy.',
  })

export const CompactionStarted = z
  .strictObject({ id: z.string(), jobId: z.string() })
  .meta({ id: 'CompactionStarted', description: 'The id is that of the first compaction of the pass.' })

export const CompactionDryRun = z
  .strictObject({
    sourceIds: list(z.string()).describe(`At most ${limits.compactionDryRunSourcesMax}`),
    sourceCount: z.int(),
    compactions: list(
      z.strictObject({
        sourceCount: z.int(),
        bytes: z.int(),
        subject: z.string().nullable(),
        expiresAt: instant.optional(),
      }),
    ),
  })
  .meta({ id: 'CompactionDryRun', description: 'What would become one entry each.' })

export const Compaction = z
  .strictObject({
    id: z.string(),
    memoryRef: z.string(),
    status: z.enum(['pending', 'completed', 'undone', 'empty', 'failed', 'cancelled']),
    outputId: z.string().nullable(),
    sourceCount: z.int(),
    sourceIds: list(z.string())
      .optional()
      .describe(`All of them; left out of lists above ${limits.compactionSourcesShownMax}`),
    byteSize: z.int(),
    runId: z.string().nullable(),
    summariser: z.string().nullable(),
    at: instant,
    undoneAt: instant.optional(),
    error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'Compaction', description: 'Many entries that became one.' })

export const CompactionPage = z
  .strictObject({ compactions: list(Compaction), cursor: z.string().optional() })
  .meta({ id: 'CompactionPage' })

export const CompactionQuery = z.strictObject({
  memoryRef: z.string().optional(),
  limit: count.optional(),
  cursor: z.string().optional(),
})
