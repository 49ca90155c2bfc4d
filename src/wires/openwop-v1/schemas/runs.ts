import { z } from 'zod'
import { runStatuses } from '../../../core/run/run.ts'
import { count, instant, list } from '../../schema-parts.ts'
import { RunEvent } from './run-events.ts'

const status = z.enum(runStatuses)

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

export const DebugQuery = z.looseObject({ maxEvents: count.optional() })

export const DiffQuery = z.strictObject({ against: z.string() })

export const DebugBundle = z
  .looseObject({ bundleVersion: z.string(), generatedAt: instant, events: list(RunEvent), redactionMode: z.string() })
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
