import { z } from 'zod'
import { checkCompactedRef } from '../../../core/compaction/policy.ts'
import { mergeReasons } from '../../../core/consolidation/consolidation.ts'
import { limits } from '../../../core/limits.ts'
import { list, withCheck } from '../../schema-parts.ts'

/** Why entries became one. */
export const mergeReason = z
  .enum(mergeReasons)
  .describe(
    'Why they became one. `duplicate`: the same words; `restatement`: the same words, some in another form; `included`: the kept entry has every sentence of the others; `correction`: the kept entry says that it corrects the others; `model-same`, `model-corrects`: a model was asked and says so, and `summariser` names it',
  )

export const ConsolidationRequest = z
  .strictObject({
    memoryRef: withCheck(z.string(), checkCompactedRef),
    model: z.boolean().optional().describe('Also ask the model of the host about entries that the rules leave apart'),
    dryRun: z.boolean().optional().describe('Only report what would become one'),
  })
  .meta({
    id: 'ConsolidationRequest',
    description: 'A consolidation pass over one ref.',
    examples: [{ memoryRef: 'agents/ada' }],
  })

export const ConsolidationStarted = z.strictObject({ jobId: z.string(), runId: z.string() }).meta({
  id: 'ConsolidationStarted',
  description: 'The id of the job, and of the run that records the first commit of the pass.',
  examples: [{ jobId: 'job_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d30', runId: 'run_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d30' }],
})

const PlannedMerge = z
  .strictObject({
    reason: mergeReason,
    keptId: z.string().describe('The entry whose text stays'),
    sourceIds: list(z.string()).describe('All entries that become one, the oldest first'),
  })
  .meta({ id: 'PlannedMerge', description: 'Entries that would become one.' })

export const ConsolidationDryRun = z
  .strictObject({
    inputCount: z.int().describe('The entries of the ref'),
    outputCount: z.int().describe('The entries that would be left'),
    merges: list(PlannedMerge).describe(`At most ${limits.consolidationDryRunMergesMax}`),
    questions: z.int().optional().describe('With `model`: how many pairs it would be asked about'),
  })
  .meta({
    id: 'ConsolidationDryRun',
    description: 'What the consolidation pass would do now.',
    examples: [
      {
        inputCount: 4,
        outputCount: 3,
        merges: [
          {
            reason: 'duplicate',
            keptId: 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d13',
            sourceIds: ['mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11', 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d13'],
          },
        ],
      },
    ],
  })
