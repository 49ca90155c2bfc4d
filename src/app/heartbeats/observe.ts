import { isAccessible } from '../../core/entries/access.ts'
import { currentView, isExpired } from '../../core/entries/as-of.ts'
import type { Place } from '../../core/entries/entry.ts'
import type { HeartbeatState, TickStatus } from '../../core/heartbeats/heartbeat.ts'
import { limits } from '../../core/limits.ts'
import { readAccess } from '../entries/read-access.ts'
import type { Tenant } from '../tenant.ts'
import type { Heartbeat } from './heartbeat-record.ts'

export type Observation = { readonly status: TickStatus; readonly state: HeartbeatState | null }

/** Observes within a time. An observation that takes longer is aborted, and does not count. */
export async function observeWithin(
  maxMs: number,
  observe: (signal: AbortSignal) => Promise<HeartbeatState>,
): Promise<Observation> {
  const stop = new AbortController()
  const timedOut = Promise.withResolvers<Observation>()
  const timer = setTimeout(() => {
    stop.abort()
    timedOut.resolve({ status: 'timeout', state: null })
  }, maxMs)
  const observed = observe(stop.signal).then(
    (state): Observation => ({ status: 'ok', state }),
    (): Observation => ({ status: 'error', state: null }),
  )
  try {
    return await Promise.race([observed, timedOut.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** What a heartbeat sees now. It reads as the reader that registered it, above the tenant's trust floor. */
export async function observe(handle: Tenant, heartbeat: Heartbeat, signal: AbortSignal): Promise<HeartbeatState> {
  const tenant = handle.withReader(heartbeat.reader)
  const { kind } = heartbeat.predicate
  if (kind === 'backlog') return observeBacklog(tenant, signal)
  if (kind === 'claim') return observeClaim(tenant, heartbeat.predicate.claimId ?? '')
  const { count, newest, hasMore } = await scanRef(tenant, heartbeat, signal)
  return { ...(kind === 'count' ? { count } : { position: newest }), ...(hasMore ? { more: true } : {}) }
}

/** The entries of the ref and their newest position. A revision of an old entry counts as new, so all of them are looked at. */
async function scanRef(tenant: Tenant, { predicate }: Heartbeat, signal: AbortSignal) {
  const access = await readAccess(tenant, {})
  const { memoryRef, tag } = predicate
  const view = { ...currentView, access }
  const query = { tenantId: tenant.id, memoryRef: memoryRef ?? '', tag, view, now: tenant.expiryNow() }
  let newest = 0
  for (let count = 0, before: Place | null = null; ; ) {
    signal.throwIfAborted()
    const limit = Math.min(limits.pageEntriesMax, limits.heartbeatCountMax - count)
    if (limit === 0) return { count, newest, hasMore: true }
    const { versions } = await tenant.storage.list({ ...query, before, limit })
    for (const { recordedPosition } of versions) newest = Math.max(newest, recordedPosition)
    count += versions.length
    before = versions.at(-1) ?? null
    if (before === null || versions.length < limit) return { count, newest, hasMore: false }
  }
}

/** The position of the winner of a claim; 0 while it has none that the reader may see. It changes with the value, and not with who else states it. */
async function observeClaim(tenant: Tenant, claimId: string): Promise<HeartbeatState> {
  const { provenance } = tenant.storage
  const winner = (await provenance.claim(tenant.id, claimId))?.winner ?? null
  const [entry] = winner === null ? [] : await provenance.newestVersions(tenant.id, [winner])
  const isSeen =
    entry !== undefined &&
    entry.endedPosition === null &&
    !isExpired(entry, tenant.expiryNow()) &&
    isAccessible(entry, await readAccess(tenant, {}))
  return { position: isSeen ? entry.recordedPosition : 0 }
}

/** Jobs of the tenant that are due and wait for a worker. Jobs that are put aside are not. */
async function observeBacklog(tenant: Tenant, signal: AbortSignal): Promise<HeartbeatState> {
  const { storage, id: tenantId } = tenant
  let backlog = 0
  let seen = 0
  for (let after: string | null = null; ; ) {
    signal.throwIfAborted()
    const limit = Math.min(limits.pageEntriesMax, limits.heartbeatCountMax - seen)
    if (limit === 0) return { backlog, more: true }
    const page: Awaited<ReturnType<typeof storage.jobs.list>> = await storage.jobs.list({
      tenantId,
      status: 'queued',
      after,
      limit,
    })
    backlog += page.filter(({ dueAt }) => dueAt <= tenant.now()).length
    seen += page.length
    after = page.at(-1)?.jobId ?? null
    if (after === null || page.length < limit) return { backlog }
  }
}
