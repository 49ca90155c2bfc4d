import { z } from 'zod'
import { forkModes, runStatuses } from '../../../core/run/run.ts'
import { count, cursor, instant, list } from '../../schema-parts.ts'
import { ErrorEnvelope } from './error.ts'
import { boundRunId, otherBoundRunId, runSegment, subject } from './examples.ts'

const status = z.enum([...runStatuses, 'cancelling'])
const values = z.record(z.string(), z.unknown())
const at = '2026-01-31T12:00:00.000Z'
const links = { eventsUrl: `/runs/${runSegment}/events`, statusUrl: `/runs/${runSegment}` }

export const RunCreated = z
  .strictObject({ runId: z.string(), status, eventsUrl: z.string(), statusUrl: z.string() })
  .meta({
    id: 'RunCreatedV2',
    description: 'The run that was started, and where to follow it.',
    examples: [{ runId: boundRunId, status: 'pending', ...links }],
  })

const SubjectView = z
  .strictObject({
    issuer: z.string(),
    subjectId: z.string(),
    tenant: z.string(),
    lane: z.literal('api-key'),
    kind: z.enum(['user', 'agent', 'workload']),
  })
  .meta({ id: 'Subject', description: 'Who did something.', examples: [subject] })

export const RunSnapshot = z
  .strictObject({
    runId: z.string().describe('TENANT/ID'),
    workflowId: z.string(),
    status,
    owner: z.strictObject({ tenant: z.string(), subject: SubjectView }),
    eventLogSchemaVersion: z
      .int()
      .describe('The era of the log: 2 for runs that were made before version 2 was served'),
    engineVersion: z.int(),
    variables: values,
    currentNodeId: z.string().optional(),
    parentRunId: z.string().optional().describe('The source of a fork'),
    startedAt: instant.optional(),
    completedAt: instant.optional(),
    error: z.strictObject({ code: z.string(), message: z.string(), details: values.optional() }).optional(),
    configurable: values.optional(),
    tags: list(z.string()),
    metadata: values,
  })
  .meta({
    id: 'RunSnapshotV2',
    description: 'The state of a run, with its variables.',
    examples: [
      {
        runId: boundRunId,
        workflowId: 'visit',
        status: 'completed',
        owner: { tenant: 'default', subject },
        eventLogSchemaVersion: 3,
        engineVersion: 1,
        variables: { known: [{ content: 'Ada prefers tea.' }] },
        startedAt: at,
        completedAt: at,
        tags: ['front-desk'],
        metadata: {},
      },
    ],
  })

export const RunListQuery = z.strictObject({
  limit: count.optional(),
  cursor: cursor.optional(),
  status: status.optional(),
  workflowId: z.string().optional(),
})

export const RunList = z
  .strictObject({ runs: list(RunSnapshot), nextCursor: z.string().optional() })
  .meta({ id: 'RunListV2', description: 'Runs of the tenant, newest first.', examples: [{ runs: [] }] })

export const RunState = z
  .strictObject({ runId: z.string(), status, pausedAt: instant.optional(), resumedAt: instant.optional() })
  .meta({
    id: 'RunStateV2',
    description: 'A run and its new status.',
    examples: [{ runId: boundRunId, status: 'cancelled' }],
  })

const CancelResult = z
  .strictObject({ runId: z.string(), ok: z.boolean(), status: status.optional(), error: ErrorEnvelope.optional() })
  .meta({ id: 'CancelResultV2', description: 'Whether one run was cancelled.' })

export const BulkCancelResult = z.strictObject({ results: list(CancelResult) }).meta({
  id: 'BulkCancelResultV2',
  description: 'One result for each run, in the order of the request.',
  examples: [{ results: [{ runId: boundRunId, ok: true, status: 'cancelled' }] }],
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
    id: 'RunForkedV2',
    description: 'The new run, and its source run.',
    examples: [
      {
        runId: boundRunId,
        sourceRunId: otherBoundRunId,
        fromSeq: 4,
        mode: 'branch',
        status: 'pending',
        eventsUrl: links.eventsUrl,
      },
    ],
  })
