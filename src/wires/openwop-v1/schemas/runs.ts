import { z } from 'zod'
import { forkModes, runStatuses } from '../../../core/run/run.ts'
import { nodeStatuses } from '../../../core/workflow/next-action.ts'
import { instant, list, position } from '../../schema-parts.ts'
import { at, otherRunId, runId } from './examples.ts'
import { InterruptView } from './interrupts.ts'
import { WorkspaceFileRow } from './workspace.ts'

const status = z.enum(runStatuses)
const values = z.record(z.string(), z.unknown())

export const RunCreated = z
  .strictObject({ runId: z.string(), status, eventsUrl: z.string(), statusUrl: z.string() })
  .meta({
    id: 'RunCreated',
    description: 'The run that was started, and where to follow it.',
    examples: [{ runId, status: 'pending', eventsUrl: `/v1/runs/${runId}/events`, statusUrl: `/v1/runs/${runId}` }],
  })

const NodeState = z
  .strictObject({
    status: z.enum(nodeStatuses),
    attempt: z.int(),
    startedAt: instant,
    completedAt: instant.optional(),
    childRunId: z.string().optional().describe('The run that this node started'),
  })
  .meta({ id: 'NodeState', description: 'The state of one node of a run.' })

export const RunFailure = z
  .strictObject({ code: z.string(), message: z.string(), details: values.optional() })
  .meta({ id: 'RunFailure', description: 'Why a run failed.' })

const OpenInterrupt = InterruptView.extend({
  nodeId: z.string(),
  interruptId: z.string(),
  interruptToken: z
    .string()
    .optional()
    .describe('Resolves the interrupt without a key; shown to keys with the scope `approvals:respond`'),
  callbackUrl: z.string().optional(),
}).meta({ id: 'OpenInterrupt', description: 'The interrupt that the run waits for now.' })

const RunForkOrigin = z
  .strictObject({
    sourceRunId: z.string(),
    fromSeq: z.int(),
    mode: z.enum(forkModes),
    writerRunId: z.string().describe('The run whose writes this run sees as its own'),
    by: z.string().describe('The key that forked'),
  })
  .meta({ id: 'RunForkOrigin', description: 'The run that this one was forked from.' })

const Orchestration = z
  .strictObject({
    decisionsTaken: z.int(),
    children: list(z.strictObject({ nodeId: z.string(), runId: z.string() })).describe(
      'The runs of its workers, in order',
    ),
  })
  .meta({ id: 'Orchestration', description: 'What the supervisor of a run has done so far.' })
const RunAgent = z
  .strictObject({
    agentId: z.string(),
    name: z.string().optional(),
    modelClass: z.string().optional(),
    memoryRef: z.string().optional(),
    version: z.string().optional(),
    sourceManifestId: z.string().optional(),
  })
  .meta({ id: 'RunAgent', description: 'An agent that a node of the workflow names.' })

export const RunView = z
  .strictObject({
    runId: z.string(),
    workflowId: z.string(),
    status,
    owner: z.strictObject({ tenant: z.string(), principal: z.string() }),
    workflowVersion: z.int(),
    snapshot: z.strictObject({ position, at: instant }).describe('The snapshot of memory that the run reads'),
    currentNodeId: z.string().optional(),
    agent: RunAgent.optional().describe('The agent of the node that started last'),
    startedAt: instant.optional(),
    completedAt: instant.optional(),
    nodeStates: z.record(z.string(), NodeState).describe('By the id of the node'),
    variables: values,
    inputs: values.optional().describe('Of a run that another run started: what it was given'),
    channels: z
      .record(z.string(), list(values))
      .optional()
      .describe('The messages of the run by channel, oldest first; its conversation is `conversation`'),
    runOrchestrator: z
      .strictObject({ agentId: z.string() })
      .optional()
      .describe('The agent of the supervisor of the run, from its first decision on'),
    orchestration: Orchestration.optional(),
    error: RunFailure.optional(),
    engineVersion: z.string(),
    eventLogSchemaVersion: z.int(),
    tags: list(z.string()),
    metadata: values,
    configurable: values,
    workspace: list(WorkspaceFileRow).optional().describe('The files that the run sees'),
    fork: RunForkOrigin.optional(),
    parentRunId: z.string().optional(),
    interrupt: OpenInterrupt.optional(),
  })
  .meta({
    id: 'RunSnapshot',
    description: 'The state of a run, with its variables.',
    examples: [
      {
        runId,
        workflowId: 'visit',
        status: 'completed',
        owner: { tenant: 'default', principal: 'key_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d12' },
        workflowVersion: 1,
        snapshot: { position: 41, at },
        startedAt: at,
        completedAt: at,
        nodeStates: { recall: { status: 'completed', attempt: 1, startedAt: at, completedAt: at } },
        variables: { known: [{ content: 'Ada prefers tea.' }] },
        engineVersion: '1',
        eventLogSchemaVersion: 2,
        tags: ['front-desk'],
        metadata: {},
        configurable: {},
      },
    ],
  })

export const RunState = z
  .strictObject({ runId: z.string(), status, pausedAt: instant.optional(), resumedAt: instant.optional() })
  .meta({ id: 'RunState', description: 'A run and its new status.', examples: [{ runId, status: 'cancelled' }] })

const CancelResult = z
  .strictObject({
    runId: z.string(),
    ok: z.boolean(),
    status: status.optional(),
    error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'CancelResult', description: 'Whether one run was cancelled.' })

export const BulkCancelResult = z.strictObject({ results: list(CancelResult) }).meta({
  id: 'BulkCancelResult',
  description: 'One result for each run, in the order of the request.',
  examples: [{ results: [{ runId, ok: true, status: 'cancelled' }] }],
})

export const RunForked = z
  .strictObject({
    runId: z.string(),
    sourceRunId: z.string(),
    fromSeq: z.int(),
    mode: z.enum(forkModes),
    status,
    eventsUrl: z.string(),
  })
  .meta({
    id: 'RunForked',
    description: 'The new run, and its source run.',
    examples: [
      {
        runId,
        sourceRunId: otherRunId,
        fromSeq: 4,
        mode: 'branch',
        status: 'pending',
        eventsUrl: `/v1/runs/${runId}/events`,
      },
    ],
  })
