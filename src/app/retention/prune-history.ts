import { limits } from '../../core/limits.ts'
import { dayMs, isPrunable } from '../../core/retention.ts'
import type { EndedPlace } from '../../ports/history-store.ts'
import { loadSettings } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import { inGroups, inSmallSteps, type Pass } from './steps.ts'

export const historyJobKind = 'colophon.history-retention'

export type HistoryPruned = {
  /** Memory can be read as of this position and later. */
  readonly historyFrom: number
  readonly versions: number
  readonly runs: number
  readonly jobs: number
  readonly idempotencyKeys: number
}

/**
 * Takes away what is older than the tenant keeps history. First, in a commit of its own, history is said to begin later;
 * only then is anything deleted. So whoever finds something missing finds out why, and a pass that is cut off leaves
 * nothing but work for the next one.
 */
export async function pruneHistory(tenant: Tenant, pass: Pass): Promise<HistoryPruned> {
  const { historyRetentionDays: days } = await loadSettings(tenant.storage, tenant.id)
  const before = tenant.now() - days * dayMs
  const historyFrom = await beginLater(tenant, before)
  const counts = { versions: 0, runs: 0, jobs: 0, idempotencyKeys: 0 }
  const count = (what: keyof typeof counts, more: number) => {
    counts[what] += more
    tenant.host.tally.add(what, more)
    pass.onProgress?.(counts)
  }
  await pruneVersions(tenant, historyFrom, pass, (more) => count('versions', more))
  await pruneRuns(tenant, before, pass, (more) => count('runs', more))
  await pruneJobs(tenant, before, pass, (more) => count('jobs', more))
  await pruneKeys(tenant, pass, (more) => count('idempotencyKeys', more))
  if (counts.versions + counts.runs > 0) {
    await tenant.commit({ kind: 'history.pruned', counts }, { call: { operation: 'history.prune' } })
  }
  return { historyFrom, ...counts }
}

type OnCount = (more: number) => void

/** Where history begins now: as far as the window and the runs under way allow, which is decided under the lock. */
async function beginLater(tenant: Tenant, before: number): Promise<number> {
  const historyFrom = await tenant.storage.positionAt(tenant.id, before)
  const known = (await tenant.storage.clock(tenant.id))?.historyFrom ?? 0
  if (historyFrom <= known) return known
  const change = { kind: 'history.begins', historyFrom } as const
  const { clock } = await tenant.commit(change, { call: { operation: 'history.begins' } })
  return clock?.historyFrom ?? known
}

async function pruneVersions(tenant: Tenant, upTo: number, pass: Pass, onCount: OnCount): Promise<void> {
  let after: EndedPlace | null = null
  await inSmallSteps(pass, async () => {
    const page = await tenant.storage.history.ended({
      tenantId: tenant.id,
      upTo,
      after,
      limit: limits.upkeepStepRowsMax,
    })
    after = page.at(-1) ?? after
    const erasures = page.filter(isPrunable).map(({ memoryRef, entryId, version }) => ({ memoryRef, entryId, version }))
    if (erasures.length > 0) {
      const change = { kind: 'history.versions_pruned', erasures } as const
      const { erased } = await tenant.commit(change, { call: { operation: 'history.prune' } })
      onCount(erased)
    }
    return page.length === 0 ? 'done' : 'more'
  })
}

/** Ids grow with time: once a run was made inside the window, all that follow were too. */
async function pruneRuns(tenant: Tenant, before: number, pass: Pass, onCount: OnCount): Promise<void> {
  let after: string | null = null
  await inSmallSteps(pass, async () => {
    const page = await tenant.storage.history.runs({ tenantId: tenant.id, after, limit: limits.upkeepStepRowsMax })
    const last = page.at(-1)
    if (last === undefined) return 'done'
    after = last.runId
    for (const group of inGroups(page.filter((run) => isOver(run, before)))) {
      const change = { kind: 'history.runs_pruned', runsPruned: group.map(({ runId }) => runId) } as const
      const { runsPruned } = await tenant.commit(change, { call: { operation: 'history.prune' } })
      onCount(runsPruned)
    }
    return last.createdAt > before ? 'done' : 'more'
  })
}

async function pruneJobs(tenant: Tenant, before: number, pass: Pass, onCount: OnCount): Promise<void> {
  let after: string | null = null
  await inSmallSteps(pass, async () => {
    const page = await tenant.storage.history.jobs({ tenantId: tenant.id, after, limit: limits.upkeepStepRowsMax })
    const last = page.at(-1)
    if (last === undefined) return 'done'
    after = last.jobId
    const over = page.filter((job) => isOver(job, before)).map(({ jobId }) => jobId)
    if (over.length > 0) onCount(await tenant.storage.history.removeJobs(tenant.id, over))
    return last.createdAt > before ? 'done' : 'more'
  })
}

/** Keys are held for a day. Writes take old ones with them; this is for tenants that went quiet. */
async function pruneKeys(tenant: Tenant, pass: Pass, onCount: OnCount): Promise<void> {
  const before = tenant.now() - limits.idempotencyHoldMs
  await inSmallSteps(pass, async () => {
    const limit = limits.upkeepStepRowsMax
    const removed = await tenant.storage.history.removeOutcomes({ tenantId: tenant.id, before, limit })
    onCount(removed)
    return removed < limit ? 'done' : 'more'
  })
}

function isOver({ endedAt }: { readonly endedAt: number | null }, before: number): boolean {
  return endedAt !== null && endedAt <= before
}
