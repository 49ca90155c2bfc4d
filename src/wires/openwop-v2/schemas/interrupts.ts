import { z } from 'zod'
import { checkJson } from '../../../core/check.ts'
import { limits } from '../../../core/limits.ts'
import { runStatuses } from '../../../core/run/run.ts'
import { withCheck } from '../../schema-parts.ts'
import { boundRunId } from './examples.ts'

const value = withCheck(z.unknown(), (field, answer) =>
  checkJson(field, answer ?? null, 'resumeValueBytesMax', limits.resumeValueBytesMax),
)

export const ResumeDraft = z
  .strictObject({
    resumeValue: value.describe('For an approval `{ action }`, for a clarification `{ answers }` by question id'),
  })
  .meta({
    id: 'ResumeDraftV2',
    description: 'The answer to an interrupt.',
    examples: [{ resumeValue: { action: 'accept' } }],
  })

export const Resolved = z.strictObject({ runId: z.string(), nodeId: z.string(), status: z.enum(runStatuses) }).meta({
  id: 'InterruptResolvedV2',
  description: 'The run whose interrupt was resolved.',
  examples: [{ runId: boundRunId, nodeId: 'gate', status: 'running' }],
})
