import { z } from 'zod'
import { runStatuses } from '../../../core/run/run.ts'
import { nodeStatuses } from '../../../core/workflow/next-action.ts'
import { count, instant, list } from '../../schema-parts.ts'
import { at, event, otherRunId, runId } from './examples.ts'
import { RunEvent } from './run-events.ts'
import { RunFailure } from './runs.ts'

const status = z.enum(runStatuses)
export const DebugQuery = z.looseObject({
  maxEvents: count.optional().describe('The maximum number of events; by default, all that fit into 8 MiB'),
})

const DebugNode = z
  .strictObject({
    status: z.enum(nodeStatuses),
    attempt: z.int(),
    calls: z.int().describe('Calls to memory'),
    startedAt: z.int().describe('Milliseconds since 1970'),
    endedAt: z.int().optional(),
    wakeAt: z.int().optional().describe('When a sleeping node continues'),
    childRunId: z.string().optional(),
  })
  .meta({ id: 'DebugNode', description: 'The state of one node, as it is stored.' })

const DebugRun = z
  .strictObject({
    runId: z.string(),
    workflowId: z.string(),
    status: z.string().describe('`waiting-input` is `waiting-clarification`; pauses and external waits are `running`'),
    startedAt: instant.optional(),
    endedAt: instant.nullable(),
    error: RunFailure.nullable(),
    nodeStates: z.record(z.string(), DebugNode).describe('By the id of the node'),
  })
  .meta({ id: 'DebugRun', description: 'The run of a debug bundle, without its variables.' })

const DebugSpan = z
  .strictObject({
    name: z.string().describe('`openwop.run`, or `openwop.node.` and the type of the node'),
    spanId: z.string(),
    parentSpanId: z.string().nullable(),
    startedAt: instant.optional(),
    endedAt: instant.nullable(),
    attributes: z.record(z.string(), z.union([z.string(), z.int()])),
  })
  .meta({ id: 'DebugSpan', description: 'The run or one of its nodes, as a span.' })

export const DebugBundle = z
  .strictObject({
    bundleVersion: z.literal('1.0'),
    generatedAt: instant,
    host: z.strictObject({ name: z.string(), version: z.string(), vendor: z.string() }),
    run: DebugRun,
    events: list(RunEvent),
    spans: list(DebugSpan),
    metrics: z.strictObject({ eventCount: z.int(), nodeCount: z.int(), openwopCost: z.null() }),
    redactionApplied: z.literal(true),
    redactionMode: z.literal('omit'),
    truncated: z.literal(true).optional(),
    truncatedReason: z.enum(['maxEvents', 'debugBundleBytesMax']).optional(),
  })
  .meta({
    id: 'DebugBundle',
    description: 'State and log of a run for debugging, with secrets redacted.',
    examples: [
      {
        bundleVersion: '1.0',
        generatedAt: at,
        host: { name: 'colophon', version: '1.0.0', vendor: 'colophon' },
        run: { runId, workflowId: 'visit', status: 'running', endedAt: null, error: null, nodeStates: {} },
        events: [event],
        spans: [
          {
            name: 'openwop.run',
            spanId: '6f1c0de25a7b9384',
            parentSpanId: null,
            endedAt: null,
            attributes: { 'openwop.run_id': runId, 'openwop.workflow_id': 'visit' },
          },
        ],
        metrics: { eventCount: 1, nodeCount: 0, openwopCost: null },
        redactionApplied: true,
        redactionMode: 'omit',
      },
    ],
  })

export const DiffQuery = z.strictObject({ against: z.string().describe('The other run') })

const RunEventDiff = z
  .strictObject({
    seq: z.int(),
    op: z.enum(['added', 'removed', 'changed']).describe('What the other run has at this sequence'),
    aEvent: RunEvent.optional(),
    bEvent: RunEvent.optional(),
  })
  .meta({ id: 'RunEventDiff', description: 'A sequence at which two logs differ.' })

export const RunDiff = z
  .strictObject({
    a: z.string(),
    b: z.string(),
    divergedAtSeq: z.int().nullable().describe('The first sequence that differs; null when the logs are identical'),
    eventDiffs: list(RunEventDiff),
    stateDiff: z.strictObject({ status: z.strictObject({ a: status, b: status }).optional() }),
    truncated: z.boolean().optional().describe('More than 1,000 sequences differ'),
  })
  .meta({
    id: 'RunDiff',
    description: 'The differences between the logs of two runs. Ids and instants are not compared.',
    examples: [
      {
        a: runId,
        b: otherRunId,
        divergedAtSeq: 3,
        eventDiffs: [{ seq: 3, op: 'removed', aEvent: event }],
        stateDiff: { status: { a: 'completed', b: 'running' } },
      },
    ],
  })

export const Artifact = z.looseObject({ artifactId: z.string() }).meta({
  id: 'Artifact',
  description: 'A document that a node made. No node type of this host makes any.',
  examples: [{ artifactId: 'report' }],
})
