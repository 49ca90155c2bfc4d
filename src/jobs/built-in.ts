import { compactTenant } from '../app/compaction/pass.ts'
import { runRequest } from '../app/compaction/request.ts'
import { compactionJobKind, compactionPassKind } from '../app/compaction/schedule.ts'
import type { Deps } from '../app/deps.ts'
import { embedTexts } from '../app/embeddings/embed-texts.ts'
import { rebuildJobKind } from '../app/embeddings/manage.ts'
import { embedJobKind } from '../app/embeddings/schedule.ts'
import { forgetJobKind } from '../app/forget/record.ts'
import { runForget } from '../app/forget/run.ts'
import { ingestJobKind } from '../app/provenance/add.ts'
import { ingest } from '../app/provenance/ingest.ts'
import { reresolve } from '../app/provenance/reresolve.ts'
import { redactPayloads, retentionJobKind } from '../app/provenance/retention.ts'
import { reRedact } from '../app/re-redact.ts'
import { historyJobKind, pruneHistory } from '../app/retention/prune-history.ts'
import { expiryJobKind, sweepExpired } from '../app/retention/sweep-expired.ts'
import { giveUpRun } from '../app/runs/control.ts'
import { driveRun } from '../app/runs/engine.ts'
import { runJobKind } from '../app/runs/new-run.ts'
import { type Delivery, deliver } from '../app/webhook-delivery.ts'
import type { Job } from '../core/job.ts'
import type { Run } from '../core/run/run.ts'
import type { JobHandler } from './worker.ts'

/** A run whose job was given up ends as failed: nobody else would ever go on with it. */
export async function endWithJob(deps: Deps, tenantId: string, job: Job): Promise<void> {
  if (job.kind !== runJobKind) return
  const { runId } = job.payload as { runId: string }
  await giveUpRun(deps, tenantId, runId)
}

/** The jobs that the host itself knows how to do, by kind; without what goes out to others. */
export function builtInHandlers(deps: Deps): Record<string, JobHandler> {
  return { ...hostHandlers(deps), ...ingestHandlers(deps), ...embedHandlers(deps) }
}

export function hostHandlers(deps: Deps): Record<string, JobHandler> {
  return {
    'colophon.re-redact': (job) =>
      reRedact(deps, job.tenantId, {
        dryRun: (job.payload as { dryRun?: boolean } | null)?.dryRun === true,
        signal: job.signal,
        onProgress: (progress) => job.progress(progress),
      }),
    'colophon.run': ({ tenantId, payload, input, lease, signal }) => {
      const { runId } = payload as { runId: string }
      return driveRun(deps, tenantId, runId, { lease, signal, ...(input ? { run: input as Run } : {}) })
    },
    [expiryJobKind]: ({ tenantId, signal, progress }) => sweepExpired(deps, tenantId, { signal, onProgress: progress }),
    [historyJobKind]: ({ tenantId, signal, progress }) =>
      pruneHistory(deps, tenantId, { signal, onProgress: progress }),
    [retentionJobKind]: ({ tenantId, signal }) => redactPayloads(deps, tenantId, signal),
    [compactionJobKind]: ({ tenantId, jobId, payload, lease, signal, progress }) => {
      const parts = { lease, signal, onProgress: progress }
      return runRequest(deps, tenantId, jobId, payload as Parameters<typeof runRequest>[3], parts)
    },
    [compactionPassKind]: ({ tenantId, lease, signal, progress }) =>
      compactTenant(deps, tenantId, { actor: 'compaction', lease, signal, onProgress: progress }),
    'colophon.reresolve': ({ tenantId, payload, signal, progress }) =>
      reresolve(deps, tenantId, (payload as { writerId: string }).writerId, { signal, onProgress: progress }),
  }
}

/** What was told becomes memories. It has few workers of its own, so that those who tell are answered first. */
export function ingestHandlers(deps: Deps): Record<string, JobHandler> {
  return {
    [forgetJobKind]: ({ tenantId, payload, lease, signal }) =>
      runForget(deps, tenantId, (payload as { forgetId: string }).forgetId, lease, signal),
    [ingestJobKind]: async ({ tenantId, payload, lease, signal }) => {
      const { sourceEventId } = payload as { sourceEventId: string }
      return ingest(deps, tenantId, sourceEventId, lease, signal)
    },
  }
}

/** What finds things by their meaning. It has few workers of its own, so that a slow embedder holds up nothing else. */
export function embedHandlers(deps: Deps): Record<string, JobHandler> {
  return {
    [embedJobKind]: ({ tenantId, signal, progress }) => embedTexts(deps, tenantId, { signal, onProgress: progress }),
    [rebuildJobKind]: ({ tenantId, payload, signal, progress }) => {
      const { askedAt: madeSince } = payload as { askedAt: number }
      return embedTexts(deps, tenantId, { signal, onProgress: progress, madeSince })
    },
  }
}

/** What goes out to others. It has workers of its own, so that slow receivers hold up nobody's runs. */
export function deliveryHandlers(deps: Deps, version: string): Record<string, JobHandler> {
  return {
    'colophon.webhook': ({ tenantId, payload, signal }) =>
      deliver(deps, tenantId, payload as Delivery, version, signal),
  }
}
