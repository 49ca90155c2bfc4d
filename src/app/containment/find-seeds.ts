import { parseAuditBody } from '../../core/audit/audit.ts'
import { actorOf, isOfSelector } from '../../core/containment/selector.ts'
import { limits } from '../../core/limits.ts'
import type { ScanPlace } from '../../ports/storage.ts'
import { createTimeSlice } from '../event-loop.ts'
import { allRuns } from '../runs/run-families.ts'
import type { Tenant } from '../tenant.ts'
import type { Affected } from './affected.ts'

/** Finds what the selector itself wrote. What was derived from it is found afterwards. */
export async function findSeeds(tenant: Tenant, affected: Affected, upTo: number): Promise<void> {
  const { kind } = affected.selector
  if (kind === 'key') {
    await findCommitsOfKey(tenant, affected, upTo)
    await findRunsOfKey(tenant, affected)
  }
  await findEvents(tenant, affected)
  if (kind === 'run' || kind === 'agent') await findWrites(tenant, affected)
}

/** Ends by a key that are undone with it. */
const undoneEnds: ReadonlySet<string> = new Set(['deleted', 'archived', 'rejected'])

/** Everything that the key changed, from the audit: it names the actor and the rows of every commit. */
async function findCommitsOfKey(tenant: Tenant, affected: Affected, upTo: number): Promise<void> {
  const actor = actorOf(affected.selector) ?? ''
  const quoted = JSON.stringify(actor)
  const slice = createTimeSlice()
  for (let from = Math.max(affected.from, 1); from <= upTo; ) {
    await slice()
    const query = { tenantId: tenant.id, from, to: upTo, limit: limits.verifyPageRowsMax }
    const page = await tenant.storage.audit(query)
    for (const row of page) {
      // Most records are of other actors, and searching a text is much cheaper than parsing it.
      if (!row.body.includes(quoted)) continue
      const body = parseAuditBody(row)
      // A containment restores what others wrote.
      if (body.actor !== actor || body.kind.startsWith('containment.')) continue
      for (const { id, version } of body.written ?? []) affected.noteWrittenByKey(id, version)
      for (const { id, version, reason } of body.ended ?? []) if (undoneEnds.has(reason)) affected.noteEnd(id, version)
      for (const { id } of body.claims ?? []) {
        affected.claimsOfKey.add(id)
        affected.withdrawnAt.add(row.position)
      }
    }
    const last = page.at(-1)
    if (last === undefined) return
    from = last.position + 1
  }
}

async function findRunsOfKey(tenant: Tenant, affected: Affected): Promise<void> {
  const actor = actorOf(affected.selector)
  const slice = createTimeSlice()
  for await (const { runId, createdAt, sourceRunId } of allRuns(tenant)) {
    await slice()
    if (createdAt < affected.createdSince) continue
    const run = await tenant.storage.runs.get(tenant.id, runId)
    // A fork has the actor of its source: the one that made it is beside it.
    const creator = sourceRunId === null ? run?.facts.actor : run?.facts.fork?.by
    if (creator === actor) affected.noteRun(runId, 0)
  }
}

/** The source events of the selector. */
export async function findEvents(tenant: Tenant, affected: Affected): Promise<void> {
  const { kind, value } = affected.selector
  if (kind === 'run') return
  if (kind === 'sourceEvent') {
    const event = await tenant.storage.provenance.sourceEvent(tenant.id, value)
    if (event !== null && !event.isErased && event.recordedPosition >= affected.from) affected.events.add(value)
    return
  }
  const slice = createTimeSlice()
  const limit = limits.forgetPageMax
  for (let after: string | null = null; ; ) {
    await slice()
    const query = { tenantId: tenant.id, after, limit }
    const page: Awaited<ReturnType<typeof tenant.storage.provenance.sourceEventHeads>> =
      await tenant.storage.provenance.sourceEventHeads(query)
    for (const event of page)
      if (event.recordedPosition >= affected.from && isOfSelector(event, affected.selector))
        affected.events.add(event.sourceEventId)
    after = page.at(-1)?.sourceEventId ?? null
    if (after === null || page.length < limit) return
  }
}

/** Entries that the run or the agent wrote: also of runs outside of this host, or whose record is no longer kept. */
async function findWrites(tenant: Tenant, affected: Affected): Promise<void> {
  const { kind, value } = affected.selector
  const slice = createTimeSlice()
  const limit = limits.forgetPageMax
  for (let after: ScanPlace | null = null; ; ) {
    await slice()
    const page: Awaited<ReturnType<typeof tenant.storage.scanVersions>> = await tenant.storage.scanVersions({
      tenantId: tenant.id,
      after,
      limit,
    })
    for (const { entryId, origin } of page) {
      const isNamed =
        kind === 'run' ? 'runId' in origin && origin.runId === value : 'agentId' in origin && origin.agentId === value
      if (isNamed) affected.pending.add(entryId)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < limit) return
    after = { entryId: last.entryId, version: last.version }
  }
}
