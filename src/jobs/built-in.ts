import type { Deps } from '../app/deps.ts'
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
    'colophon.webhook': ({ tenantId, payload, signal }) =>
      deliver(deps, tenantId, payload as Delivery, version, signal),
  }
}
