import { canonicalJson } from '../../core/canonical.ts'
import { toInstant } from '../../core/check.ts'
import type { MemoryCall } from '../../core/run/memory-call.ts'
import type { Run, RunEvent, RunStatus, RunSummary } from '../../core/run/run.ts'
import { readablePage } from '../provenance/readable-claims.ts'
import type { Tenant } from '../tenant.ts'
import { getRun, isOfReader } from './control.ts'
import { allCalls, allEvents } from './recorded-run.ts'

/** The snapshot of a run and its reads, with the ids of the entries they returned. No content. */
export async function runReads(tenant: Tenant, runId: string) {
  const { snapshot, facts } = await getRun(tenant, runId)
  const calls = await allCalls(tenant, runId)
  return {
    snapshot: { position: snapshot.position, at: toInstant(snapshot.at) },
    ...(facts.reader === undefined ? {} : { reader: facts.reader }),
    reads: calls.filter(isRead).map(({ sequence, nodeId, op, memoryRef, entries, position, at, forgotten }) => ({
      sequence,
      nodeId,
      op,
      memoryRef,
      entryIds: entries.map(({ id }) => id),
      position,
      at: toInstant(at),
      ...(forgotten === undefined ? {} : { forgotten }),
    })),
  }
}

function isRead({ op }: MemoryCall): boolean {
  return op === 'list' || op === 'get' || op === 'search'
}

const differencesMax = 1_000

/** The events in which two runs differ, at most 1,000. */
export type RunDifference = {
  readonly a: Run
  readonly b: Run
  /** The first sequence that differs; null when the logs are identical. */
  readonly divergedAt: number | null
  readonly differences: readonly {
    readonly sequence: number
    readonly aEvent: RunEvent | undefined
    readonly bEvent: RunEvent | undefined
  }[]
  readonly isTruncated: boolean
}

/** Compares the event logs of two runs, without event ids and instants. */
export async function diffRuns(tenant: Tenant, runA: string, runB: string): Promise<RunDifference> {
  const [a, b] = await Promise.all([getRun(tenant, runA), getRun(tenant, runB)])
  const [aEvents, bEvents] = await Promise.all([allEvents(tenant, runA), allEvents(tenant, runB)])
  const differences = Array.from({ length: Math.max(aEvents.length, bEvents.length) }, (_, sequence) => ({
    sequence,
    aEvent: aEvents[sequence],
    bEvent: bEvents[sequence],
  })).filter(({ aEvent, bEvent }) => !(aEvent && bEvent && contentOf(aEvent) === contentOf(bEvent)))
  return {
    a,
    b,
    divergedAt: differences[0]?.sequence ?? null,
    differences: differences.slice(0, differencesMax),
    isTruncated: differences.length > differencesMax,
  }
}

function contentOf({ type, nodeId, payload }: RunEvent): string {
  return canonicalJson({ type, nodeId, payload })
}

type RunRange = { readonly after: string | null; readonly limit: number }
type RunFilter = { readonly status: RunStatus | null; readonly workflowId: string | null }

/** Runs of the tenant, newest first. A reader sees its own. */
export function listRuns(tenant: Tenant, query: RunFilter & RunRange): Promise<readonly RunSummary[]> {
  const { after, limit, ...filter } = query
  const list = (range: RunRange) => tenant.storage.runs.list({ tenantId: tenant.id, ...filter, ...range })
  if (tenant.reader === null) return list({ after, limit })
  return readablePage(
    { after, limit },
    list,
    ({ runId }) => runId,
    async (summary) => {
      const run = await tenant.storage.runs.get(tenant.id, summary.runId)
      return run !== null && isOfReader(tenant, run) ? summary : null
    },
  )
}
