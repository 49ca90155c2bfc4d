import type { MemoryCall } from '../../src/core/run/memory-call.ts'
import type { Run, RunEvent } from '../../src/core/run/run.ts'
import { flowOf, toDefinition } from './run-definition.ts'
import { isOver, type Written } from './run-history.ts'
import type { World } from './run-world.ts'

/** Everything recorded of a run, in plain JSON, so that stores can be compared. */
export type RunRecord = {
  readonly run: Run
  readonly events: readonly RunEvent[]
  readonly calls: readonly MemoryCall[]
}

export async function readRunRecord({ storage, tenantId }: World, runId: string): Promise<RunRecord> {
  const query = { tenantId, runId, from: 0, limit: 1_000 }
  const [run, events, calls] = await Promise.all([
    storage.runs.get(tenantId, runId),
    storage.runs.events(query),
    storage.runs.calls(query),
  ])
  return JSON.parse(JSON.stringify({ run, events, calls })) as RunRecord
}

export async function readRunRecords(world: World): Promise<Map<string, RunRecord>> {
  const ids = [...world.history.creations.keys()]
  return new Map(await Promise.all(ids.map(async (runId) => [runId, await readRunRecord(world, runId)] as const)))
}

type Reach = { readonly runId: string; readonly before: number }

/**
 * What a run must see, by the specification: its snapshot, what it wrote before, what it inherited (from its parent
 * up to the start, from its source up to the fork), and what its completed children wrote.
 */
export class ExpectedRunView {
  readonly world: World
  readonly records: ReadonlyMap<string, RunRecord>

  constructor(world: World, records: ReadonlyMap<string, RunRecord>) {
    this.world = world
    this.records = records
  }

  /** Newest first, without ended or expired entries. */
  sees(runId: string, before: number, ref: string, at: number): Written[] {
    const { history } = this.world
    const snapshot = history.creations.get(runId)?.snapshot ?? -1
    const reach = this.#reach(runId, before)
    const isOwn = ({ by }: Written) =>
      by !== null && reach.some((one) => one.runId === by.runId && by.sequence < one.before)
    const isInSnapshot = ({ from, until }: Written) => from <= snapshot && (until === null || until > snapshot)
    return history.versions
      .filter((row) => row.ref === ref && (isInSnapshot(row) || isOwn(row)) && !isOver(row, at))
      .sort((a, b) => b.place[0] - a.place[0] || b.place[1] - a.place[1])
  }

  #reach(runId: string, before: number): Reach[] {
    return [{ runId, before }, ...this.#given(runId, before), ...this.#ofChildren(runId, before)]
  }

  #given(runId: string, before: number): Reach[] {
    const creation = this.world.history.creations.get(runId)
    if (creation?.fork) {
      // A replay records its source's writes as its own, so it sees them as far as it has recorded them.
      const { sourceRunId, fromSeq, mode } = creation.fork
      return this.#reach(sourceRunId, mode === 'replay' ? before : Math.min(fromSeq, before))
    }
    if (!creation?.parent || creation.parent.isIsolated) return []
    const { runId: parentId, nodeId } = creation.parent
    return this.#reach(parentId, this.#startOfChild(this.records.get(parentId) as RunRecord, nodeId))
  }

  /**
   * Right after the start of its node; in a branch that inherited the start, right after the inherited events and those that
   * other running nodes, which come first in the workflow, recorded since.
   */
  #startOfChild({ run, events }: RunRecord, nodeId: string): number {
    const isStart = ({ type, nodeId: id }: RunEvent) => type === 'node.started' && id === nodeId
    const started = events.findLast(isStart)?.sequence ?? -1
    const { inherited = 0, fork } = this.world.history.creations.get(run.runId) ?? {}
    if (!fork || started >= inherited) return started + 1
    const order = toDefinition(this.world.flows, flowOf(run.workflowId)).nodes.map(({ id }) => id)
    const isEarlier = (event: RunEvent | undefined) =>
      event?.nodeId != null && event.type !== 'node.started' && order.indexOf(event.nodeId) < order.indexOf(nodeId)
    let start = inherited
    while (isEarlier(events[start])) start++
    return start
  }

  #nodeOf({ workflowId }: Run, nodeId: string | null) {
    return toDefinition(this.world.flows, flowOf(workflowId)).nodes.find(({ id }) => id === nodeId)
  }

  #ofChildren(runId: string, before: number): Reach[] {
    const { run, events } = this.records.get(runId) as RunRecord
    return events
      .filter(({ type, sequence }) => type === 'node.completed' && sequence < before)
      .flatMap(({ nodeId }) => {
        const childRunId = run.facts.nodes[nodeId ?? '']?.childRunId
        const child = childRunId === undefined ? undefined : this.records.get(childRunId)
        if (child?.run.status !== 'completed' || child.run.facts.parent?.isIsolated !== false) return []
        if (this.#nodeOf(run, nodeId)?.config.waitForCompletion === false) return []
        return this.#reach(child.run.runId, Number.MAX_SAFE_INTEGER)
      })
  }
}
