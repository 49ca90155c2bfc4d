import { getRun } from '../../../app/runs/control.ts'
import { describeRun } from '../../../app/runs/describe-run.ts'
import type { Tenant } from '../../../app/tenant.ts'
import { isColophonError } from '../../../core/errors.ts'
import { limits } from '../../../core/limits.ts'
import type { Run } from '../../../core/run/run.ts'
import { toSnapshot } from './snapshot.ts'

type Snapshots = {
  readonly runs: readonly ReturnType<typeof toSnapshot>[]
  /** The last run that was read, if others follow it that no longer fit. */
  readonly stoppedAt?: string
}

/** Reads whole runs, one after another, until they fill `bytes`: all at once they could take gigabytes. */
export async function readSnapshots(
  tenant: Tenant,
  items: readonly { readonly runId: string }[],
  bytes: number = limits.runListBytes,
): Promise<Snapshots> {
  const runs: ReturnType<typeof toSnapshot>[] = []
  let left = bytes
  for (const [index, { runId }] of items.entries()) {
    const run = await findRun(tenant, runId)
    if (run === null) continue
    const snapshot = toSnapshot(await describeRun(tenant, run, { withTokens: false }))
    runs.push(snapshot)
    left -= Buffer.byteLength(JSON.stringify(snapshot))
    if (left <= 0 && index < items.length - 1) return { runs, stoppedAt: runId }
  }
  return { runs }
}

/** Null: it was erased after it was listed. */
async function findRun(tenant: Tenant, runId: string): Promise<Run | null> {
  try {
    return await getRun(tenant, runId)
  } catch (error) {
    if (isColophonError(error, 'not_found')) return null
    throw error
  }
}
