import type { MemoryCall } from '../../core/run/memory-call.ts'
import { childRunsOf } from '../../core/run/run-children.ts'
import type { Tenant } from '../tenant.ts'
import { allEvents } from './recorded-run.ts'

/**
 * Runs by id, and the sequence from which on their values and writes may derive from certain entries; null when they read none of them.
 */
export type AffectedRuns = ReadonlyMap<string, number | null>

const reads: ReadonlySet<MemoryCall['op']> = new Set(['list', 'get', 'search'])

const nodeEnds: ReadonlySet<string> = new Set(['node.completed', 'node.failed', 'node.cancelled'])

/** Whether a memory call returned entries to its run. */
export function isRead({ op }: Pick<MemoryCall, 'op'>): boolean {
  return reads.has(op)
}

/** Adds parents and children: outputs of a child become values of its parent, and values of a parent become inputs of its child. */
export async function withFamilies(
  tenant: Tenant,
  affected: AffectedRuns,
  /** Whether a parent counts only from the end of the child on: the outputs of the child are its values from then on. */
  { fromEnd = false }: { readonly fromEnd?: boolean } = {},
): Promise<AffectedRuns> {
  const all = new Map(affected)
  const open = [...affected.keys()]
  const add = (runId: string, from: number) => {
    const known = all.get(runId) ?? null
    if (known !== null && known <= from) return
    all.set(runId, from)
    open.push(runId)
  }
  for (let runId = open.pop(); runId !== undefined; runId = open.pop()) {
    const run = await tenant.storage.runs.get(tenant.id, runId)
    const from = all.get(runId) ?? null
    if (run === null || from === null) continue
    const { parent } = run.facts
    if (parent !== null) {
      const [start, end] = await spanOf(tenant, parent.runId, parent.nodeId)
      if (!fromEnd) add(parent.runId, start)
      else if (end !== null) add(parent.runId, end)
    }
    for (const child of childRunsOf(run.facts)) {
      if ((await spanOf(tenant, runId, child.nodeId))[0] >= from) add(child.runId, 0)
    }
  }
  return all
}

/** The sequences at which a node started and ended; null if it has not ended. */
async function spanOf(tenant: Tenant, runId: string, nodeId: string): Promise<readonly [number, number | null]> {
  const events = (await allEvents(tenant, runId)).filter((event) => event.nodeId === nodeId)
  const ended = events.find(({ type }) => nodeEnds.has(type))
  return [events[0]?.sequence ?? 0, ended?.sequence ?? null]
}
