import type { Deps } from '../app/deps.ts'
import { reRedact } from '../app/re-redact.ts'
import type { JobHandler } from './worker.ts'

/** The jobs that the host itself knows how to do, by kind. */
export function builtInHandlers(deps: Deps): Record<string, JobHandler> {
  return {
    'colophon.re-redact': (job) =>
      reRedact(deps, job.tenantId, {
        dryRun: (job.payload as { dryRun?: boolean } | null)?.dryRun === true,
        signal: job.signal,
        onProgress: (progress) => job.progress(progress),
      }),
  }
}
