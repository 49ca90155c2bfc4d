import type { MemoryCall, Run, RunEvent } from '../../src/core/run/run.ts'
import { flowOf, toDefinition } from './run-definition.ts'
import { isOver, type Written } from './run-history.ts'
import type { World } from './run-world.ts'

/** Everything that is told of a run, in plain JSON, so that stores can be compared. */
export type Told = { readonly run: Run; readonly events: readonly RunEvent[]; readonly calls: readonly MemoryCall[] }

export async function toldOf({ storage, tenantId }: World, runId: string): Promise<Told> {
  const query = { tenantId, runId, from: 0, limit: 1_000 }
  const [run, events, calls] = await Promise.all([
    storage.runs.get(tenantId, runId),
    storage.runs.events(query),
    storage.runs.calls(query),
  ])
  return JSON.parse(JSON.stringify({ run, events, calls })) as Told
}

export async function toldOfAll(world: World): Promise<Map<string, Told>> {
  const ids = [...world.history.births.keys()]
  return new Map(await Promise.all(ids.map(async (runId) => [runId, await toldOf(world, runId)] as const)))
}

type Reach = { readonly runId: string; readonly before: number }

/**
 * What a run must see, in the words of the design: its snapshot, what it wrote before, what it was given (by its parent
 * up to the start, by its source up to the fork), and what its completed children wrote.
 */
export class RunEyes {
  readonly world: World
  readonly told: ReadonlyMap<string, Told>

  constructor(world: World, told: ReadonlyMap<string, Told>) {
    this.world = world
    this.told = told
  }

  /** Newest first, nothing that is over. */
  sees(runId: string, before: number, ref: string, at: number): Written[] {
    const { history } = this.world
    const snapshot = history.births.get(runId)?.snapshot ?? -1
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
    const birth = this.world.history.births.get(runId)
    if (birth?.fork) {
      // A replay tells its source's writes as its own, so it sees them as far as it has told them.
      const { sourceRunId, fromSeq, mode } = birth.fork
      return this.#reach(sourceRunId, mode === 'replay' ? before : Math.min(fromSeq, before))
    }
    if (!birth?.parent || birth.parent.isIsolated) return []
    const { runId: parentId, nodeId } = birth.parent
    return this.#reach(parentId, this.#startOfChild(this.told.get(parentId) as Told, nodeId))
  }

  /**
   * Right behind the start of its node; in a branch that inherited the start, right behind the inherited events and what
   * nodes that were under way, too, and come first in the workflow, told since.
   */
  #startOfChild({ run, events }: Told, nodeId: string): number {
    const isStart = ({ type, nodeId: id }: RunEvent) => type === 'node.started' && id === nodeId
    const started = events.findLast(isStart)?.sequence ?? -1
    const { inherited = 0, fork } = this.world.history.births.get(run.runId) ?? {}
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
    const { run, events } = this.told.get(runId) as Told
    return events
      .filter(({ type, sequence }) => type === 'node.completed' && sequence < before)
      .flatMap(({ nodeId }) => {
        const childRunId = run.facts.nodes[nodeId ?? '']?.childRunId
        const child = childRunId === undefined ? undefined : this.told.get(childRunId)
        if (child?.run.status !== 'completed' || child.run.facts.parent?.isIsolated !== false) return []
        if (this.#nodeOf(run, nodeId)?.config.waitForCompletion === false) return []
        return this.#reach(child.run.runId, Number.MAX_SAFE_INTEGER)
      })
  }
}
