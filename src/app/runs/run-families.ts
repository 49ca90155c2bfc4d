import { limits } from '../../core/limits.ts'
import type { MemoryCall } from '../../core/run/memory-call.ts'
import type { Run, RunEvent } from '../../core/run/run.ts'
import { type ChildRun, childRunsOf } from '../../core/run/run-children.ts'
import type { Tenant } from '../tenant.ts'
import { allEvents } from './recorded-run.ts'

/**
 * Runs by id, and the sequence from which on their values and writes may derive from certain entries; null when they read none of them.
 */
export type AffectedRuns = ReadonlyMap<string, number | null>

const reads: ReadonlySet<MemoryCall['op']> = new Set(['list', 'get', 'search'])

const nodeEnds: ReadonlySet<string> = new Set(['node.completed', 'node.failed', 'node.cancelled'])

const chainEnds: ReadonlySet<unknown> = new Set(['child.completed', 'child.failed', 'child.cancelled'])

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
      const [start, end] = spanOf(await allEvents(tenant, parent.runId), { nodeId: parent.nodeId, runId })
      if (!fromEnd) add(parent.runId, start)
      else if (end !== null) add(parent.runId, end)
    }
    const children = childRunsOf(run.facts)
    const events = children.length === 0 ? [] : await allEvents(tenant, runId)
    for (const child of children) if (spanOf(events, child)[0] >= from) add(child.runId, 0)
  }
  return all
}

/**
 * The sequences at which a child run started and ended in the log of its parent; null if it has not ended there. A dispatch node has many
 * children, and an event of its own for the start and the end of each. A sub-workflow starts and ends with its node.
 */
function spanOf(events: readonly RunEvent[], { nodeId, runId }: ChildRun): readonly [number, number | null] {
  const sent = events.find(({ type, payload }) => type === 'node.dispatched' && payload.childRunId === runId)
  if (sent !== undefined) {
    const ended = events.find(({ payload }) => payload.childRunId === runId && chainEnds.has(payload.phase))
    return [sent.sequence, ended?.sequence ?? null]
  }
  const own = events.filter((event) => event.nodeId === nodeId)
  return [own[0]?.sequence ?? 0, own.find(({ type }) => nodeEnds.has(type))?.sequence ?? null]
}

/** Adds forks: they have the values and the events of their source before the event that they begin with. Then the families of those. */
export async function withForks(tenant: Tenant, affected: AffectedRuns): Promise<AffectedRuns> {
  let all = await withFamilies(tenant, affected)
  for (let size = 0; size !== all.size; ) {
    size = all.size
    const more = new Map(all)
    for await (const { runId, sourceRunId } of allRuns(tenant)) {
      const from = sourceRunId === null ? undefined : more.get(sourceRunId)
      if (from === undefined || more.has(runId)) continue
      const fork = (await tenant.storage.runs.get(tenant.id, runId))?.facts.fork
      // The inputs are older than the first event, so a run that is affected from its begin on has affected forks from every point.
      if (fork && (from === null || from <= fork.fromSeq)) more.set(runId, from)
    }
    if (more.size > size) all = await withFamilies(tenant, more)
  }
  return all
}

/** All runs of a tenant, without their contents. */
export async function* allRuns(tenant: Tenant) {
  const limit = limits.forgetPageMax
  for (let after: string | null = null; ; ) {
    const query = { tenantId: tenant.id, status: null, workflowId: null, after, limit }
    const page: Awaited<ReturnType<typeof tenant.storage.runs.list>> = await tenant.storage.runs.list(query)
    yield* page
    after = page.at(-1)?.runId ?? null
    if (after === null || page.length < limit) return
  }
}

/**
 * The ids of all runs whose values a run can have: its first ancestor or the source that it was forked from, and all that were started
 * from it. The limits of child runs bound their number.
 */
export async function familyOf(tenant: Tenant, run: Run): Promise<string[]> {
  let root = run
  for (let above = sourceOf(root); above !== null; above = sourceOf(root)) {
    const found = await tenant.storage.runs.get(tenant.id, above)
    if (found === null) break
    root = found
  }
  const runIds = new Set([root.runId, run.runId])
  for (const runId of runIds) {
    const member = await tenant.storage.runs.get(tenant.id, runId)
    for (const child of member === null ? [] : childRunsOf(member.facts)) runIds.add(child.runId)
  }
  return [...runIds]
}

function sourceOf({ facts: { parent, fork } }: Run): string | null {
  return parent?.runId ?? fork?.sourceRunId ?? null
}
