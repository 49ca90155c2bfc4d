import { isArchiveRef } from '../../core/distillation/archive.ts'
import { type DryRun, describePruning, toDryRun } from '../../core/jobs/dry-run.ts'
import { limits } from '../../core/limits.ts'
import { dayMs, type EndedVersion, historyCut, holdsSince, isPrunable } from '../../core/retention.ts'
import { deliveryJobKind } from '../../core/webhooks/coalesced-delivery.ts'
import type { EndedPlace, JobAge, RunAge } from '../../ports/history-store.ts'
import { loadContainmentState } from '../containment/containment-record.ts'
import { loadLineage } from '../containment/lineage.ts'
import { loadSettings } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import { groupByEvents, inSmallSteps, type UpkeepPass } from './small-steps.ts'

export const historyJobKind = 'colophon.history-retention'

/** What a history retention pass deleted. */
export type HistoryPruned = {
  /** The new beginning of history: memory can be read as of this position and later. */
  readonly historyFrom: number
  readonly versions: number
  readonly runs: number
  readonly jobs: number
  readonly idempotencyKeys: number
}

/**
 * Deletes rows that are older than the tenant's history retention. A first commit moves the beginning of history; only then are rows
 * deleted. So a reader that misses a row gets `history_expired`, and an interrupted pass is completed by the next one.
 */
export async function pruneHistory(tenant: Tenant, pass: UpkeepPass): Promise<HistoryPruned> {
  const { historyRetentionDays: days } = await loadSettings(tenant.storage, tenant.id)
  const before = tenant.now() - days * dayMs
  const historyFrom = await moveHistoryStart(tenant, before)
  const counts = { versions: 0, runs: 0, jobs: 0, idempotencyKeys: 0 }
  const count = (what: keyof typeof counts, more: number) => {
    counts[what] += more
    tenant.host.upkeepCounters.add(what, more)
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

/** What a pass would delete now, except idempotency keys. Nothing is stored, and history does not begin later. */
export async function dryRunPruning(
  tenant: Tenant,
  pass: UpkeepPass,
): Promise<DryRun<Omit<HistoryPruned, 'idempotencyKeys'>>> {
  const { historyRetentionDays: days } = await loadSettings(tenant.storage, tenant.id)
  const now = tenant.now()
  const before = now - days * dayMs
  const clock = (await tenant.storage.clock(tenant.id)) ?? { position: 0, historyFrom: 0 }
  const oldest = await tenant.storage.history.oldestSnapshot(tenant.id, holdsSince(now))
  const protectedFrom = oldest ?? Number.MAX_SAFE_INTEGER
  const historyFrom = historyCut(await tenant.storage.positionAt(tenant.id, before), clock, protectedFrom)
  const counts = { historyFrom, versions: 0, runs: 0, jobs: 0 }
  await eachPrunable(tenant, historyFrom, pass, (prunable) => {
    counts.versions += prunable.length
  })
  await eachOldRuns(tenant, before, pass, (old) => {
    counts.runs += old.filter(({ snapshotPosition }) => snapshotPosition < protectedFrom).length
  })
  await eachOldJobs(tenant, before, pass, (jobIds) => {
    counts.jobs += jobIds.length
  })
  return toDryRun(counts, describePruning)
}

type OnCount = (more: number) => void

/** Moves the beginning of history, as far as the retention and the snapshots of unfinished runs allow. The commit decides it. */
async function moveHistoryStart(tenant: Tenant, before: number): Promise<number> {
  const historyFrom = await tenant.storage.positionAt(tenant.id, before)
  const known = (await tenant.storage.clock(tenant.id))?.historyFrom ?? 0
  if (historyFrom <= known) return known
  const change = { kind: 'history.begins', historyFrom } as const
  const { clock } = await tenant.commit(change, { call: { operation: 'history.begins' } })
  return clock?.historyFrom ?? known
}

async function pruneVersions(tenant: Tenant, upTo: number, pass: UpkeepPass, onCount: OnCount): Promise<void> {
  await eachPrunable(tenant, upTo, pass, async (prunable) => {
    const erasures = prunable.map(({ memoryRef, entryId, version }) => ({ memoryRef, entryId, version }))
    const forgetting = { compactions: await distillationsOf(tenant, prunable) }
    const change = { kind: 'history.versions_pruned', erasures, forgetting } as const
    const { erased } = await tenant.commit(change, { call: { operation: 'history.prune' } })
    onCount(erased)
  })
}

/**
 * The distillations whose archives are deleted. Nothing is made of an archive, so no lineage passes through it. The rows of a compaction
 * stay: a forget finds through them what was made of its output.
 */
async function distillationsOf(tenant: Tenant, pruned: readonly EndedVersion[]): Promise<string[]> {
  const ids = pruned.filter(({ memoryRef, isNewest }) => isNewest && isArchiveRef(memoryRef)).map((row) => row.entryId)
  const archives = ids.length === 0 ? [] : await tenant.storage.provenance.newestVersions(tenant.id, ids)
  return archives.flatMap(({ origin }) => (origin.kind === 'compaction' ? origin.compactionId : []))
}

/** The versions that ended before history begins and can be deleted, in small steps. */
async function eachPrunable(
  tenant: Tenant,
  upTo: number,
  pass: UpkeepPass,
  onSome: (prunable: readonly EndedVersion[]) => Promise<void> | void,
): Promise<void> {
  let after: EndedPlace | null = null
  const { active } = await loadContainmentState(tenant)
  // A release restores from the stored versions, so none of a contained entry is deleted.
  const contained = await loadLineage(
    tenant,
    active.map(({ id }) => id),
  )
  await inSmallSteps(pass, async () => {
    const page = await tenant.storage.history.ended({
      tenantId: tenant.id,
      upTo,
      after,
      limit: limits.upkeepStepRowsMax,
    })
    after = page.at(-1) ?? after
    const prunable = page.filter((row) => isPrunable(row) && contained.entry(row.entryId) === undefined)
    if (prunable.length > 0) await onSome(prunable)
    return page.length === 0 ? 'done' : 'more'
  })
}

async function pruneRuns(tenant: Tenant, before: number, pass: UpkeepPass, onCount: OnCount): Promise<void> {
  await eachOldRuns(tenant, before, pass, async (old) => {
    for (const group of groupByEvents(old)) {
      const change = { kind: 'history.runs_pruned', runsPruned: group.map(({ runId }) => runId) } as const
      const { runsPruned } = await tenant.commit(change, { call: { operation: 'history.prune' } })
      onCount(runsPruned)
    }
  })
}

/** Ids grow with time: after the first run that is inside the retention window, all others are inside too. */
async function eachOldRuns(
  tenant: Tenant,
  before: number,
  pass: UpkeepPass,
  onSome: (old: readonly RunAge[]) => Promise<void> | void,
): Promise<void> {
  let after: string | null = null
  await inSmallSteps(pass, async () => {
    const page = await tenant.storage.history.runs({ tenantId: tenant.id, after, limit: limits.upkeepStepRowsMax })
    const last = page.at(-1)
    if (last === undefined) return 'done'
    after = last.runId
    await onSome(page.filter((run) => endedBefore(run, before)))
    return last.createdAt > before ? 'done' : 'more'
  })
}

async function pruneJobs(tenant: Tenant, before: number, pass: UpkeepPass, onCount: OnCount): Promise<void> {
  await eachOldJobs(tenant, before, pass, async (jobIds) => {
    onCount(await tenant.storage.history.removeJobs(tenant.id, jobIds))
  })
}

/** Dead letters of webhooks are kept for as long as discovery says, also if the tenant keeps less history. */
async function eachOldJobs(
  tenant: Tenant,
  before: number,
  pass: UpkeepPass,
  onSome: (jobIds: readonly string[]) => Promise<void> | void,
): Promise<void> {
  const deadBefore = tenant.now() - limits.deadLetterDays * dayMs
  let after: string | null = null
  await inSmallSteps(pass, async () => {
    const page = await tenant.storage.history.jobs({ tenantId: tenant.id, after, limit: limits.upkeepStepRowsMax })
    const last = page.at(-1)
    if (last === undefined) return 'done'
    after = last.jobId
    const isOld = (job: JobAge) => endedBefore(job, isDeadDelivery(job) ? Math.min(before, deadBefore) : before)
    const ended = page.filter(isOld).map(({ jobId }) => jobId)
    if (ended.length > 0) await onSome(ended)
    return last.createdAt > before ? 'done' : 'more'
  })
}

/** Idempotency keys are kept for 24 hours. Writes delete old ones of their tenant; this is for tenants without writes. */
async function pruneKeys(tenant: Tenant, pass: UpkeepPass, onCount: OnCount): Promise<void> {
  const before = tenant.now() - limits.idempotencyHoldMs
  await inSmallSteps(pass, async () => {
    const limit = limits.upkeepStepRowsMax
    const removed = await tenant.storage.history.removeOutcomes({ tenantId: tenant.id, before, limit })
    onCount(removed)
    return removed < limit ? 'done' : 'more'
  })
}

function isDeadDelivery({ kind, status }: JobAge): boolean {
  return kind === deliveryJobKind && status === 'dead'
}

function endedBefore({ endedAt }: { readonly endedAt: number | null }, before: number): boolean {
  return endedAt !== null && endedAt <= before
}
