import { z } from 'zod'
import { runStatuses } from '../core/run/run.ts'

/** The shapes of runs. Requests of OpenWOP are open: members that are not known are ignored, those that are, are checked by the use case. */

const list = <T extends z.ZodType>(item: T) => z.array(item).readonly()
const instant = z.string().describe('ISO-8601 instant, UTC, milliseconds')
const count = z.coerce.number().int().min(0)
const status = z.enum(runStatuses)

export const RunParams = z.strictObject({ runId: z.string() })
export const NodeParams = z.strictObject({ runId: z.string(), nodeId: z.string() })
export const ArtifactParams = z.strictObject({ runId: z.string(), artifactId: z.string() })
export const TokenParams = z.strictObject({ token: z.string() })
export const WorkflowParams = z.strictObject({ workflowId: z.string() })
export const WebhookParams = z.strictObject({ webhookId: z.string() })

export const RunDraft = z
  .looseObject({
    workflowId: z.unknown().describe('The workflow to run'),
    inputs: z.unknown().optional(),
    configurable: z.unknown().optional(),
    tags: z.unknown().optional(),
    metadata: z.unknown().optional(),
    scopeId: z.unknown().optional(),
  })
  .meta({ id: 'RunDraft' })

export const RunCreated = z
  .strictObject({ runId: z.string(), status, eventsUrl: z.string(), statusUrl: z.string() })
  .meta({ id: 'RunCreated' })

export const RunView = z
  .looseObject({ runId: z.string(), workflowId: z.string(), status })
  .meta({ id: 'RunSnapshot', description: 'Where a run stands, with its variables.' })

export const RunPage = z
  .strictObject({
    runs: list(
      z.strictObject({
        runId: z.string(),
        workflowId: z.string(),
        workflowVersion: z.int(),
        status,
        tags: list(z.string()),
        createdAt: instant,
        completedAt: instant.optional(),
        parentRunId: z.string().optional(),
        sourceRunId: z.string().optional(),
      }),
    ),
    cursor: z.string().optional(),
  })
  .meta({ id: 'RunPage' })

export const RunListQuery = z.strictObject({
  limit: count.optional(),
  cursor: z.string().optional(),
  status: status.optional(),
  workflowId: z.string().optional(),
})

export const Reason = z.looseObject({ reason: z.unknown().optional() }).nullish()
export const PauseDraft = z
  .looseObject({ reason: z.unknown().optional(), drainPolicy: z.unknown().optional() })
  .nullish()
export const RunState = z.strictObject({
  runId: z.string(),
  status,
  pausedAt: instant.optional(),
  resumedAt: instant.optional(),
})

export const BulkCancel = z
  .looseObject({ runIds: z.unknown(), reason: z.unknown().optional() })
  .meta({ id: 'BulkCancel' })
export const BulkCancelResult = z
  .strictObject({
    results: list(
      z.strictObject({
        runId: z.string(),
        ok: z.boolean(),
        status: status.optional(),
        error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
      }),
    ),
  })
  .meta({ id: 'BulkCancelResult' })

export const ForkDraft = z
  .looseObject({ mode: z.unknown(), fromSeq: z.unknown().optional(), runOptionsOverlay: z.unknown().optional() })
  .meta({ id: 'ForkDraft' })
export const RunForked = z
  .strictObject({
    runId: z.string(),
    sourceRunId: z.string(),
    fromSeq: z.int(),
    mode: z.enum(['replay', 'branch']),
    status,
    eventsUrl: z.string(),
  })
  .meta({ id: 'RunForked' })

export const ResumeDraft = z.looseObject({ resumeValue: z.unknown() }).meta({ id: 'ResumeDraft' })
export const Resolved = z.strictObject({ runId: z.string(), nodeId: z.string(), status })
export const InterruptView = z
  .looseObject({ kind: z.string(), key: z.string(), data: z.unknown() })
  .meta({ id: 'Interrupt' })

const event = z
  .looseObject({
    eventId: z.string(),
    runId: z.string(),
    sequence: z.int(),
    type: z.string(),
    payload: z.unknown(),
    timestamp: instant,
  })
  .meta({ id: 'RunEvent' })

export const EventList = z.strictObject({ events: list(event) }).meta({ id: 'RunEventList' })
export const EventPoll = z
  .strictObject({
    runId: z.string(),
    events: list(event),
    isComplete: z.boolean(),
    lastEventSeq: z.int(),
    runStatus: status,
    isTerminal: z.boolean(),
  })
  .meta({ id: 'RunEventPoll' })

export const EventsQuery = z.looseObject({ streamMode: z.string().optional(), bufferMs: z.string().optional() })
export const PollQuery = z.looseObject({
  lastSequence: z.string().optional(),
  since: z.string().optional(),
  timeout: z.string().optional(),
})

export const DebugQuery = z.looseObject({ maxEvents: count.optional() })
export const DiffQuery = z.strictObject({ against: z.string() })

export const RunReads = z
  .strictObject({
    snapshot: z.strictObject({ position: z.int(), at: instant }),
    reads: list(
      z.strictObject({
        sequence: z.int(),
        nodeId: z.string(),
        op: z.string(),
        memoryRef: z.string(),
        entryIds: list(z.string()),
        position: z.int(),
        at: instant,
        forgotten: z.int().optional().describe('how many more it was given that were forgotten since'),
      }),
    ),
  })
  .meta({ id: 'RunReads', description: 'What a run saw, in identifiers.' })

export const WorkflowDocument = z.record(z.string(), z.unknown()).meta({ id: 'WorkflowDefinition' })
export const WorkflowStored = z.strictObject({ id: z.string(), version: z.int() }).meta({ id: 'WorkflowStored' })
export const WorkflowPage = z
  .strictObject({
    workflows: list(z.strictObject({ id: z.string(), version: z.int(), name: z.string() })),
    cursor: z.string().optional(),
  })
  .meta({ id: 'WorkflowPage' })

export const WebhookDraft = z
  .looseObject({
    url: z.unknown(),
    events: z.unknown(),
    tenantId: z.unknown().optional(),
    tags: z.unknown().optional(),
    secret: z.unknown().optional(),
  })
  .meta({ id: 'WebhookDraft' })
export const NewWebhook = z
  .strictObject({
    webhookId: z.string(),
    secret: z.string().optional().describe('Shown once, when the webhook is made'),
    secretFingerprint: z.string(),
  })
  .meta({ id: 'NewWebhook' })
export const WebhookList = z
  .strictObject({
    webhooks: list(
      z.strictObject({
        webhookId: z.string(),
        events: list(z.string()),
        tags: list(z.string()),
        secretFingerprint: z.string(),
        createdAt: instant,
      }),
    ),
  })
  .meta({ id: 'WebhookList', description: 'Without their addresses, which often hold a token.' })
export const WebhookQuery = z.looseObject({ tenantId: z.string().optional() })

export const DebugBundle = z
  .looseObject({ bundleVersion: z.string(), generatedAt: instant, events: list(event), redactionMode: z.string() })
  .meta({ id: 'DebugBundle' })
export const RunDiff = z
  .strictObject({
    a: z.string(),
    b: z.string(),
    divergedAtSeq: z.int().nullable(),
    eventDiffs: list(z.looseObject({ seq: z.int(), op: z.string() })),
    stateDiff: z.looseObject({}),
    truncated: z.boolean().optional(),
  })
  .meta({ id: 'RunDiff' })
export const Artifact = z.looseObject({ artifactId: z.string() }).meta({ id: 'Artifact' })
