import { type SelectionCriteria, type SourceGroup, SourceSelector } from '../../core/compaction/select-sources.ts'
import { isArchiveRef } from '../../core/distillation/archive.ts'
import { currentView } from '../../core/entries/as-of.ts'
import type { Place } from '../../core/entries/entry.ts'
import { isColophonError } from '../../core/errors.ts'
import { type DryRun, describeCompaction, toDryRun } from '../../core/jobs/dry-run.ts'
import type { JobLease } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { isPrivateRef } from '../../core/names.ts'
import { ownRef } from '../people/stored-spellings.ts'
import { loadSettings } from '../redaction/redaction-state.ts'
import { requireCapability } from '../require-capability.ts'
import type { Tenant } from '../tenant.ts'
import { type CompactedGroup, compactGroup } from './compact-group.ts'
import { type CompactionPlan, planOfPolicy } from './compaction-plan.ts'
import type { CompactionTrigger } from './maintenance-run.ts'

/** The counts of a pass. */
export type PassResult = {
  readonly compactions: number
  readonly sources: number
  /** Groups whose summary could not be redacted with its markers kept. They stay uncompacted. */
  readonly redactionFailures: number
}

export type PassParts = {
  readonly actor: string
  readonly trigger: CompactionTrigger
  readonly signal: AbortSignal
  readonly lease?: JobLease
  readonly onProgress?: (progress: PassResult) => void
  /** The id of the first compaction, if a client got one in its response. */
  readonly firstId?: string
}

/** The groups of a ref that become one entry each. Reads page by page, and keeps ids in memory, not texts. */
export async function* sourceGroups(
  tenant: Tenant,
  givenRef: string,
  selection: SelectionCriteria,
  signal: AbortSignal,
): AsyncGenerator<SourceGroup> {
  const memoryRef = await ownRef(tenant, givenRef)
  const now = tenant.expiryNow()
  const selector = new SourceSelector(selection, now)
  const limit = limits.compactionPageEntriesMax
  for (let before: Place | null = null; ; ) {
    signal.throwIfAborted()
    const query = { tenantId: tenant.id, memoryRef, tag: null, view: currentView, now, before, limit }
    const { versions } = await tenant.storage.list(query)
    for (const version of versions) {
      // Those of another spelling of the same person have a pass of their own.
      const group = version.memoryRef === memoryRef ? selector.add(version) : null
      if (group !== null) yield group
    }
    const last = versions.at(-1)
    if (last === undefined || versions.length < limit) break
    before = { createdPosition: last.createdPosition, ordinal: last.ordinal }
  }
  yield* selector.flush()
}

/**
 * Compacts a ref group by group. Every group is a commit of its own, so an interrupted pass can start again: compacted
 * sources are not selected twice.
 */
export async function compactRef(
  tenant: Tenant,
  planned: CompactionPlan,
  parts: PassParts,
  before: PassResult = nothing,
): Promise<PassResult> {
  const plan = { ...planned, memoryRef: await ownRef(tenant, planned.memoryRef) }
  let result = before
  let nextId = await unusedId(tenant, parts.firstId)
  let tookMs = 0
  for await (const { sources } of sourceGroups(tenant, plan.memoryRef, plan.selection, parts.signal)) {
    const { actor, trigger, signal, lease } = parts
    await pauseFor(tookMs * pauseFactor, signal)
    const began = performance.now()
    const request = {
      compactionId: nextId ?? tenant.system.newId('cmp'),
      memoryRef: plan.memoryRef,
      sources,
      outputBytesMax: plan.outputBytesMax,
      actor,
      trigger,
      signal,
      ...(lease === undefined ? {} : { lease }),
    }
    const made = await compactGroup(tenant, request).catch(redactionFailure)
    if (made === 'redaction-failed') result = { ...result, redactionFailures: result.redactionFailures + 1 }
    else if (made !== null) {
      nextId = undefined
      result = { ...result, compactions: result.compactions + 1, sources: result.sources + made.sourceIds.length }
    }
    tookMs = performance.now() - began
    parts.onProgress?.(result)
  }
  return result
}

/** A pass pauses twice as long as it worked, so that writers have the store to themselves most of the time. */
export const pauseFactor = 2
const pauseMsMax = 1_000

export function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, Math.min(ms, pauseMsMax))
    signal.addEventListener('abort', done)
  })
}

const nothing: PassResult = { compactions: 0, sources: 0, redactionFailures: 0 }

/** One group that cannot be redacted must not stop the pass. */
function redactionFailure(error: unknown): 'redaction-failed' | CompactedGroup {
  if (isColophonError(error, 'compaction_redaction_failed')) return 'redaction-failed'
  throw error
}

/** An earlier attempt of the job may have used the promised id already. */
async function unusedId(tenant: Tenant, id: string | undefined): Promise<string | undefined> {
  if (id === undefined) return undefined
  return (await tenant.storage.compactions.get(tenant.id, id)) === null ? id : undefined
}

/** A pass over every ref, by the tenant's policy: daily, or when a client runs the schedule now. */
export async function compactTenant(tenant: Tenant, parts: PassParts): Promise<PassResult> {
  requireCapability(tenant, 'compaction')
  let result = nothing
  for await (const plan of plansOfPolicy(tenant, parts.signal)) result = await compactRef(tenant, plan, parts, result)
  return result
}

/** How many entries such a pass would compact now. Nothing is stored, and no summary is made. */
export async function dryRunTenantCompaction(
  tenant: Tenant,
  signal: AbortSignal,
): Promise<DryRun<Pick<PassResult, 'compactions' | 'sources'>>> {
  requireCapability(tenant, 'compaction')
  const counts = { compactions: 0, sources: 0 }
  for await (const { memoryRef, selection } of plansOfPolicy(tenant, signal))
    for await (const { sources } of sourceGroups(tenant, memoryRef, selection, signal)) {
      counts.compactions += 1
      counts.sources += sources.length
    }
  return toDryRun(counts, describeCompaction)
}

/** The refs that the tenant's policy compacts; none if it is switched off. */
async function* plansOfPolicy(tenant: Tenant, signal: AbortSignal): AsyncGenerator<CompactionPlan> {
  const { compaction: policy } = await loadSettings(tenant.storage, tenant.id)
  if (!policy.enabled) return
  for (let after: string | null = null; ; ) {
    signal.throwIfAborted()
    const now = tenant.expiryNow()
    const refs = await tenant.storage.refs({ tenantId: tenant.id, after, now, limit: limits.compactionPageEntriesMax })
    for (const { memoryRef, entries } of refs) {
      if (isPrivateRef(memoryRef) || isArchiveRef(memoryRef) || entries < policy.keepNewest + policy.minEntries)
        continue
      yield planOfPolicy(memoryRef, policy, now)
    }
    after = refs.at(-1)?.memoryRef ?? null
    if (after === null) return
  }
}
