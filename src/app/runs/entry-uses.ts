import { toInstant } from '../../core/check.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { RunStatus } from '../../core/run/run.ts'
import { isEntryId } from '../entries/read.ts'
import type { Tenant } from '../tenant.ts'
import { allCalls } from './recorded-run.ts'
import { isRead } from './run-families.ts'

/** The runs that read an entry, newest first, and the compactions that were made of it. No content. */
export type EntryUses = {
  readonly runs: readonly EntryRead[]
  /** How many of the newest runs were searched, and whether these are all. */
  readonly runsSearched: number
  readonly isComplete: boolean
  readonly derived: readonly { readonly compactionId: string; readonly outputId: string; readonly at: string }[]
}

type EntryRead = {
  readonly runId: string
  readonly workflowId: string
  readonly status: RunStatus
  readonly nodeId: string
  readonly version: number
  readonly position: number
  readonly at: string
}

/** Searches the read journals of the newest runs: the journal is ordered by run, so a search of all would read all of it. */
export async function entryUses(tenant: Tenant, memoryRef: string, entryId: string): Promise<EntryUses> {
  const [entry] = isEntryId(entryId) ? await tenant.storage.provenance.newestVersions(tenant.id, [entryId]) : []
  if (entry?.memoryRef !== memoryRef) throw new ColophonError('not_found', 'There is no such entry.')
  const limit = limits.entryUsesRunsMax
  const query = { tenantId: tenant.id, status: null, workflowId: null, after: null, limit: limit + 1 }
  const newest = await tenant.storage.runs.list(query)
  const searched = newest.slice(0, limit)
  const runs: EntryRead[] = []
  for (const { runId, workflowId, status } of searched) {
    const calls = (await allCalls(tenant, runId)).filter(isRead)
    // The last read of a run: it may have read the entry many times.
    const call = calls.findLast(({ entries }) => entries.some(({ id }) => id === entryId))
    const version = call?.entries.find(({ id }) => id === entryId)?.version
    if (call === undefined || version === undefined) continue
    const { nodeId, position, at } = call
    runs.push({ runId, workflowId, status, nodeId, version, position, at: toInstant(at) })
  }
  const compactions = await tenant.storage.compactions.derivedFrom(tenant.id, [entryId])
  return {
    runs,
    runsSearched: searched.length,
    isComplete: newest.length <= limit,
    derived: compactions.map(({ compactionId, outputId, at }) => ({ compactionId, outputId, at: toInstant(at) })),
  }
}
