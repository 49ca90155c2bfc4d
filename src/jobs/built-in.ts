import { fireCommitment } from '../app/commitments/fire-commitment.ts'
import { fireJobKind } from '../app/commitments/fire-job.ts'
import { type InferencePayload, inferFromEntries, inferJobKind } from '../app/commitments/infer-commitments.ts'
import { compactTenant, dryRunTenantCompaction } from '../app/compaction/compaction-pass.ts'
import { compactionJobKind, compactionPassKind, triggerOf } from '../app/compaction/compaction-schedule.ts'
import { runCompactionRequest } from '../app/compaction/request-compaction.ts'
import { consolidateTenant, dryRunTenantConsolidation } from '../app/consolidation/consolidate-tenant.ts'
import {
  consolidationJobKind,
  consolidationPassKind,
  consolidationTriggerOf,
  questionsOf,
} from '../app/consolidation/consolidation-schedule.ts'
import { runConsolidationRequest } from '../app/consolidation/request-consolidation.ts'
import { distillationJobKind, runDistillationRequest } from '../app/distillation/request-distillation.ts'
import { embedTexts } from '../app/embeddings/embed-texts.ts'
import { embedJobKind } from '../app/embeddings/embedding-schedule.ts'
import { dryRunEmbedding, rebuildJobKind } from '../app/embeddings/manage-embeddings.ts'
import type { Engine } from '../app/engine.ts'
import { runForget } from '../app/forget/forget-job.ts'
import { forgetJobKind } from '../app/forget/forget-record.ts'
import { heartbeatJobKind, tickHeartbeat } from '../app/heartbeats/tick-heartbeat.ts'
import { ingestJobKind } from '../app/provenance/add.ts'
import { ingest } from '../app/provenance/ingest.ts'
import { dryRunPayloads, payloadRetentionJobKind, redactPayloads } from '../app/provenance/payload-retention.ts'
import { reresolve, reresolveAll, reresolveJobKind } from '../app/provenance/reresolve.ts'
import { reRedact } from '../app/redaction/re-redact.ts'
import { redactionJobKind } from '../app/redaction/redaction-pass.ts'
import { dryRunPruning, historyJobKind, pruneHistory } from '../app/retention/prune-history.ts'
import { dryRunSweep, expiryJobKind, sweepExpired } from '../app/retention/sweep-expired.ts'
import { failRunOfDeadLetter } from '../app/runs/control.ts'
import { executeRun } from '../app/runs/execute-run.ts'
import { runJobKind } from '../app/runs/new-run.ts'
import { type ScheduledRun, startRunJobKind, startScheduledRun } from '../app/runs/scheduled-run.ts'
import type { Tenant } from '../app/tenant.ts'
import { fanOut } from '../app/webhooks/fan-out.ts'
import { deliverJob } from '../app/webhooks/webhook-delivery.ts'
import { isDryRun } from '../core/jobs/dry-run.ts'
import type { Job } from '../core/jobs/job.ts'
import type { Run } from '../core/run/run.ts'
import { type Delivery, deliveryJobKind } from '../core/webhooks/coalesced-delivery.ts'
import { type FanOut, fanOutJobKind } from '../core/webhooks/fan-out.ts'
import type { JobHandler } from './worker.ts'

/** Called before a job becomes a dead letter. A run whose job is dead fails, because no worker would continue it. */
export async function endRunOfDeadLetter(tenant: Tenant, job: Job): Promise<void> {
  if (job.kind !== runJobKind) return
  const { runId } = job.payload as { runId: string }
  await failRunOfDeadLetter(tenant, runId)
}

type TenantHandler = (tenant: Tenant, job: Parameters<JobHandler>[0]) => ReturnType<JobHandler>

function forTenants(engine: Engine, handlers: Record<string, TenantHandler>): Record<string, JobHandler> {
  const bind =
    (handler: TenantHandler): JobHandler =>
    (job) =>
      handler(engine.tenant(job.tenantId), job)
  return Object.fromEntries(Object.entries(handlers).map(([kind, handler]) => [kind, bind(handler)]))
}

/** The handlers of the host's own jobs, by kind, without webhook deliveries. */
export function builtInHandlers(engine: Engine): Record<string, JobHandler> {
  return { ...hostHandlers(engine), ...ingestHandlers(engine), ...embedHandlers(engine) }
}

/** Runs, passes over stored data, and other work of the host. */
export function hostHandlers(engine: Engine): Record<string, JobHandler> {
  return forTenants(engine, {
    [redactionJobKind]: (tenant, job) => {
      const { actor } = (job.payload ?? {}) as { readonly actor?: string }
      return reRedact(tenant, {
        dryRun: isDryRun(job.payload),
        ...(actor === undefined ? {} : { actor }),
        signal: job.signal,
        onProgress: (progress) => job.progress(progress),
      })
    },
    'colophon.run': (tenant, { payload, input, lease, signal }) => {
      const { runId } = payload as { runId: string }
      return executeRun(tenant, runId, { lease, signal, ...(input ? { run: input as Run } : {}) })
    },
    [startRunJobKind]: (tenant, { payload, lease }) => startScheduledRun(tenant, payload as ScheduledRun, lease),
    [inferJobKind]: (tenant, { payload, lease }) => inferFromEntries(tenant, payload as InferencePayload, lease),
    [fireJobKind]: (tenant, { payload, lease }) =>
      fireCommitment(tenant, (payload as { commitmentId: string }).commitmentId, lease),
    [heartbeatJobKind]: (tenant, { payload, lease }) =>
      tickHeartbeat(tenant, (payload as { heartbeatId: string }).heartbeatId, lease),
    [expiryJobKind]: (tenant, { payload, signal, progress }) =>
      isDryRun(payload) ? dryRunSweep(tenant) : sweepExpired(tenant, { signal, onProgress: progress }),
    [historyJobKind](tenant, { payload, signal, progress }) {
      const pass = { signal, onProgress: progress }
      return isDryRun(payload) ? dryRunPruning(tenant, pass) : pruneHistory(tenant, pass)
    },
    [payloadRetentionJobKind]: (tenant, { payload, signal }) =>
      isDryRun(payload) ? dryRunPayloads(tenant, signal) : redactPayloads(tenant, signal),
    [compactionJobKind]: (tenant, { jobId, payload, lease, signal, progress }) => {
      const parts = { lease, signal, onProgress: progress }
      return runCompactionRequest(tenant, jobId, payload as Parameters<typeof runCompactionRequest>[2], parts)
    },
    [compactionPassKind]: (tenant, { payload, lease, signal, progress }) => {
      if (isDryRun(payload)) return dryRunTenantCompaction(tenant, signal)
      const trigger = triggerOf(payload)
      return compactTenant(tenant, { actor: 'compaction', trigger, lease, signal, onProgress: progress })
    },
    [consolidationJobKind]: (tenant, { jobId, payload, lease, signal, progress }) => {
      const parts = { lease, signal, onProgress: progress, ...questionsOf(payload) }
      return runConsolidationRequest(tenant, jobId, payload as Parameters<typeof runConsolidationRequest>[2], parts)
    },
    [consolidationPassKind]: (tenant, { payload, lease, signal, progress }) => {
      if (isDryRun(payload)) return dryRunTenantConsolidation(tenant, { signal, ...questionsOf(payload) })
      const trigger = consolidationTriggerOf(payload)
      const parts = { actor: 'consolidation', trigger, lease, signal, onProgress: progress, ...questionsOf(payload) }
      return consolidateTenant(tenant, parts)
    },
    [distillationJobKind]: (tenant, { jobId, payload, lease, signal }) =>
      runDistillationRequest(tenant, jobId, payload as Parameters<typeof runDistillationRequest>[2], { lease, signal }),
    [fanOutJobKind]: (tenant, { payload, lease, signal }) => fanOut(tenant, payload as FanOut, lease, signal),
    [reresolveJobKind](tenant, { payload, signal, progress }) {
      // Jobs of earlier versions name one writer.
      const { writerId, writerIds } = payload as { writerId?: string; writerIds?: readonly string[] }
      const pass = { signal, onProgress: progress }
      const wanted = writerId === undefined ? writerIds : [writerId]
      return wanted === undefined ? reresolveAll(tenant, pass) : reresolve(tenant, wanted, pass)
    },
  })
}

/** Ingestion of source events, and forgetting. A worker of their own with few slots, so that requests come first. */
export function ingestHandlers(engine: Engine): Record<string, JobHandler> {
  return forTenants(engine, {
    [forgetJobKind]: (tenant, { payload, lease, signal }) =>
      runForget(tenant, (payload as { forgetId: string }).forgetId, lease, signal),
    [ingestJobKind]: (tenant, { payload, lease, signal }) => {
      const { sourceEventId } = payload as { sourceEventId: string }
      return ingest(tenant, sourceEventId, lease, signal)
    },
  })
}

/** Embedding of texts. A worker of its own with few slots, so that a slow embedder delays no other jobs. */
export function embedHandlers(engine: Engine): Record<string, JobHandler> {
  return forTenants(engine, {
    [embedJobKind]: (tenant, { payload, signal, progress }) =>
      isDryRun(payload) ? dryRunEmbedding(tenant) : embedTexts(tenant, { signal, onProgress: progress }),
    [rebuildJobKind]: (tenant, { payload, signal, progress }) => {
      const { askedAt: madeSince } = payload as { askedAt: number }
      return embedTexts(tenant, { signal, onProgress: progress, madeSince })
    },
  })
}

/** Webhook deliveries. A worker of its own, so that slow receivers delay no runs. */
export function deliveryHandlers(engine: Engine): Record<string, JobHandler> {
  return forTenants(engine, {
    [deliveryJobKind]: (tenant, { payload, lease, signal }) => deliverJob(tenant, payload as Delivery, lease, signal),
  })
}
