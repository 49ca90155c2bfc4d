import type { Deps } from '../app/deps.ts'
import { ingestJobKind } from '../app/provenance/add.ts'
import { ingest } from '../app/provenance/ingest.ts'
import { reresolve } from '../app/provenance/reresolve.ts'
import { redactPayloads, retentionJobKind } from '../app/provenance/retention.ts'
import { reRedact } from '../app/re-redact.ts'
import { driveRun } from '../app/runs/engine.ts'
import { type Delivery, deliver } from '../app/webhook-delivery.ts'
import type { Run } from '../core/run/run.ts'
import type { JobHandler } from './worker.ts'

/** The jobs that the host itself knows how to do, by kind. */
export function builtInHandlers(deps: Deps, version: string): Record<string, JobHandler> {
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
    [ingestJobKind]: async ({ tenantId, payload, lease, signal }) => {
      const { sourceEventId } = payload as { sourceEventId: string }
      return ingest(deps, tenantId, sourceEventId, lease, signal)
    },
    [retentionJobKind]: ({ tenantId, signal }) => redactPayloads(deps, tenantId, signal),
    'colophon.reresolve': ({ tenantId, payload, signal, progress }) =>
      reresolve(deps, tenantId, (payload as { writerId: string }).writerId, { signal, onProgress: progress }),
    'colophon.webhook': ({ tenantId, payload, signal }) =>
      deliver(deps, tenantId, payload as Delivery, version, signal),
  }
}
