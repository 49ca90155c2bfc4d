import { z } from 'zod'
import { checkJson } from '../../../core/check.ts'
import { limits } from '../../../core/limits.ts'
import { interruptKinds } from '../../../core/run/interrupt.ts'
import { runStatuses } from '../../../core/run/run.ts'
import { withCheck } from '../../schema-parts.ts'
import { runId } from './examples.ts'

const value = withCheck(z.unknown(), (field, answer) =>
  checkJson(field, answer ?? null, 'resumeValueBytesMax', limits.resumeValueBytesMax),
)

export const ResumeDraft = z
  .looseObject({
    resumeValue: value.describe('For an approval `{ action }`, for a clarification `{ answers }` by question id'),
  })
  .meta({
    id: 'ResumeDraft',
    description: 'The answer to an interrupt.',
    examples: [{ resumeValue: { action: 'accept' } }],
  })

export const Resolved = z.strictObject({ runId: z.string(), nodeId: z.string(), status: z.enum(runStatuses) }).meta({
  id: 'InterruptResolved',
  description: 'The run whose interrupt was resolved.',
  examples: [{ runId, nodeId: 'gate', status: 'running' }],
})

export const InterruptView = z
  .strictObject({
    kind: z.enum(interruptKinds),
    key: z.string().describe('The name of the interrupt in its workflow'),
    data: z.record(z.string(), z.unknown()).describe('The request: a title, actions, questions, a correlation'),
    resumeSchema: z.record(z.string(), z.unknown()).optional().describe('JSON Schema of the answer'),
    timeoutMs: z.number().optional().describe('How long the run waits'),
  })
  .meta({
    id: 'Interrupt',
    description: 'An interrupt: what a run waits for.',
    examples: [{ kind: 'approval', key: 'refund', data: { title: 'Refund 40 EUR?', actions: ['accept', 'reject'] } }],
  })
