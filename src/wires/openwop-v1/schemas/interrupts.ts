import { z } from 'zod'
import { checkJson } from '../../../core/check.ts'
import { limits } from '../../../core/limits.ts'
import { interruptKinds } from '../../../core/run/interrupt.ts'
import { runStatuses } from '../../../core/run/run.ts'
import { ruled } from '../../schema-parts.ts'
import { runId } from './examples.ts'

const value = ruled(z.unknown(), (field, answer) =>
  checkJson(field, answer ?? null, 'resumeValueBytesMax', limits.resumeValueBytesMax),
)

export const ResumeDraft = z
  .looseObject({
    resumeValue: value.describe('Of an approval `{ action }`, of a clarification `{ answers }` by question id'),
  })
  .meta({
    id: 'ResumeDraft',
    description: 'The answer to a question of a run.',
    examples: [{ resumeValue: { action: 'accept' } }],
  })

export const Resolved = z.strictObject({ runId: z.string(), nodeId: z.string(), status: z.enum(runStatuses) }).meta({
  id: 'InterruptResolved',
  description: 'The run whose question was answered.',
  examples: [{ runId, nodeId: 'gate', status: 'running' }],
})

export const InterruptView = z
  .strictObject({
    kind: z.enum(interruptKinds),
    key: z.string().describe('Names the question in its workflow'),
    data: z.record(z.string(), z.unknown()).describe('What is asked: a title, actions, questions, a correlation'),
    resumeSchema: z.record(z.string(), z.unknown()).optional().describe('JSON Schema of the answer'),
    timeoutMs: z.number().optional().describe('How long the run waits'),
  })
  .meta({
    id: 'Interrupt',
    description: 'A question that a run waits on.',
    examples: [{ kind: 'approval', key: 'refund', data: { title: 'Refund 40 EUR?', actions: ['accept', 'reject'] } }],
  })
