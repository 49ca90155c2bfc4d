import { z } from 'zod'
import { asReader, count, cursorLike, instant, list, nextCursor, readersDraft } from '../../schema-parts.ts'

const commitment = {
  id: 'com_f7Yx2mQ0aZk1Lr9tBvN3cW.mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11',
  memoryRef: 'agents/ada',
  memoryId: 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11',
  intention: 'Remind me on Friday to call Ana',
  condition: 'time',
  at: '2026-03-06T09:00:00.000Z',
  status: 'waiting',
  rule: 'en.reminder',
  createdAt: '2026-03-01T12:00:00.000Z',
}

const statuses = ['waiting', 'quarantined', 'paused', 'fired', 'cancelled', 'ended'] as const

const status = z
  .enum(statuses)
  .describe(
    '`quarantined`: its entry is not trusted yet. `paused`: it was imported; a change makes it active. `ended`: with its entry',
  )
const intention = z.string().describe('What is intended, in one line')
const statement = z.string().describe('What it waits for: it fires once an entry of the ref asserts it')
const workflowId = z.string().describe('The workflow to run; by default that of the settings. Needs `runs:create`')

export const Commitment = z
  .strictObject({
    id: z.string(),
    memoryRef: z.string(),
    memoryId: z.string().optional().describe('The entry that it comes from'),
    intention,
    condition: z.enum(['time', 'predicate']),
    at: instant.optional().describe('When it is due'),
    statement: statement.optional(),
    status,
    reason: z.string().optional().describe('Why it ended, or does nothing'),
    rule: z.string().optional().describe('The rule that inferred it; absent for one that a client made'),
    workflowId: z.string().optional(),
    createdAt: instant,
    firedAt: instant.optional(),
    runId: z.string().optional().describe('The maintenance run whose log has the event'),
    enqueuedRunId: z.string().optional().describe('The run that it started'),
  })
  .meta({ id: 'Commitment', description: 'Something that the host does later.', examples: [commitment] })

export const CommitmentPage = z.strictObject({ commitments: list(Commitment), cursor: nextCursor }).meta({
  id: 'CommitmentPage',
  description: 'One page of commitments, in order of ref, newest first.',
  examples: [{ commitments: [commitment] }],
})

export const CommitmentQuery = z.strictObject({
  memoryRef: z.string().optional().describe('Only commitments of this ref'),
  status: status.optional(),
  reader: asReader,
  limit: count.optional(),
  cursor: cursorLike(/^com_[\w.-]{1,1600}$/).optional(),
})

export const CommitmentDraft = z
  .strictObject({
    memoryRef: z.string(),
    intention,
    at: instant.optional().describe('When it is due; or `statement`'),
    statement: statement.optional(),
    memoryId: z.string().optional().describe('The entry that it comes from: it ends with that entry'),
    workflowId: workflowId.optional(),
    readers: readersDraft.optional(),
  })
  .meta({
    id: 'CommitmentDraft',
    description: 'A commitment to create: due at an instant, or once a statement is true.',
    examples: [{ memoryRef: 'agents/ada', intention: 'Call Ana', statement: 'the invoice is paid' }],
  })

export const CommitmentChange = z
  .strictObject({
    intention: intention.optional(),
    at: instant.optional(),
    statement: statement.optional(),
    workflowId: workflowId.nullable().optional(),
  })
  .meta({
    id: 'CommitmentChange',
    description: 'A change of a commitment that waits. Omitted members stay as they are.',
    examples: [{ at: '2026-03-07T09:00:00.000Z' }],
  })
