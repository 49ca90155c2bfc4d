import { z } from 'zod'
import { predicateKinds } from '../../../core/heartbeats/heartbeat.ts'
import { instant, list } from '../../schema-parts.ts'

const heartbeat = {
  id: 'hbt_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d11',
  predicate: 'count',
  memoryRef: 'inbox',
  intervalSec: 60,
  workflowId: 'triage',
  createdAt: '2026-03-01T12:00:00.000Z',
  isPaused: false,
  lastTickAt: '2026-03-01T12:04:00.000Z',
  nextTickAt: '2026-03-01T12:05:00.000Z',
  state: { count: 3 },
  changedAt: '2026-03-01T12:02:00.000Z',
  status: 'ok',
}

const predicate = z
  .enum(predicateKinds)
  .describe(
    '`count`: the entries of a ref. `position`: its newest position. `claim`: the winner of a claim. `backlog`: jobs that are due (needs `memory:admin`)',
  )
const workflowId = z.string().describe('The workflow to run after a change. Needs `runs:create`')

export const Heartbeat = z
  .strictObject({
    id: z.string(),
    predicate,
    memoryRef: z.string().optional(),
    tag: z.string().optional(),
    claimId: z.string().optional(),
    intervalSec: z.int(),
    workflowId: z.string().optional(),
    createdAt: instant,
    isPaused: z.boolean(),
    lastTickAt: instant.optional().describe('When the last tick was due; absent while it is paused or evaluated'),
    nextTickAt: instant
      .optional()
      .describe('Absent while it is paused or a tick is evaluated, or if its job has failed for good'),
    state: z
      .record(z.string(), z.union([z.number(), z.boolean()]))
      .describe('What was observed last; empty before the first tick'),
    changedAt: instant.optional(),
    status: z.enum(['ok', 'timeout', 'error']).optional().describe('How the last tick ended'),
    runId: z.string().optional().describe('The last run that it started'),
  })
  .meta({ id: 'Heartbeat', description: 'Something that is observed at an interval.', examples: [heartbeat] })

export const HeartbeatList = z.strictObject({ heartbeats: list(Heartbeat) }).meta({
  id: 'HeartbeatList',
  description: 'The heartbeats that the key may see: a reader sees its own.',
  examples: [{ heartbeats: [heartbeat] }],
})

export const HeartbeatDraft = z
  .strictObject({
    predicate,
    memoryRef: z.string().optional().describe('The ref that `count` and `position` look at'),
    tag: z.string().optional().describe('Only entries with this tag'),
    claimId: z.string().optional().describe('The claim that `claim` looks at'),
    intervalSec: z
      .int()
      .describe('Seconds between ticks; a shorter interval than `heartbeat.minIntervalSec` is raised to it'),
    workflowId: workflowId.optional(),
  })
  .meta({
    id: 'HeartbeatDraft',
    description: 'A heartbeat to register.',
    examples: [{ predicate: 'count', memoryRef: 'inbox', intervalSec: 60, workflowId: 'triage' }],
  })

export const HeartbeatChange = z
  .strictObject({
    intervalSec: z.int().optional().describe('Seconds between ticks'),
    workflowId: workflowId.nullable().optional().describe('The workflow to run after a change; null for none'),
  })
  .meta({
    id: 'HeartbeatChange',
    description: 'What to change of a heartbeat: at least one member.',
    examples: [{ intervalSec: 300 }],
  })
