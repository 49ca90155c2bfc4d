import { isEnded, type Run } from '../../src/core/run/run.ts'
import { childRunsOf } from '../../src/core/run/run-children.ts'
import { continueRun, putChain, tenantId, type UseCaseWorld } from './use-cases.ts'

type Values = Readonly<Record<string, unknown>>

/** Registers a workflow with a supervisor and a dispatch node that leads back to it. */
export function putLoop(
  world: UseCaseWorld,
  id: string,
  supervisor: Values,
  dispatch: Values = {},
  more: { readonly variables?: readonly object[]; readonly agent?: object; readonly settings?: object } = {},
) {
  const { agent, ...rest } = more
  const nodes = [
    { id: 'lead', typeId: 'core.orchestrator.supervisor', config: supervisor, ...(agent ? { agent } : {}) },
    { id: 'send', typeId: 'core.dispatch', config: dispatch },
  ]
  const edges = [
    { id: 'act', sourceNodeId: 'lead', targetNodeId: 'send' },
    { id: 'back', sourceNodeId: 'send', targetNodeId: 'lead' },
  ]
  return putChain(world, id, nodes, { edges, ...rest })
}

/** Drives a run and its children, as workers would, until the run ends or waits for a person. */
export async function driveFamily(world: UseCaseWorld, run: Run): Promise<Run> {
  let current = await continueRun(world, run)
  for (;;) {
    if (isEnded(current.status)) return current
    const child = await liveChild(world, current)
    if (child === null) return current
    const after = await driveFamily(world, child)
    if (!isEnded(after.status)) return current
    current = await continueRun(world, current)
  }
}

async function liveChild({ engine }: UseCaseWorld, { facts }: Run): Promise<Run | null> {
  const last = childRunsOf(facts).at(-1)
  const child = last === undefined ? null : await engine.storage.runs.get(tenantId, last.runId)
  return child === null || isEnded(child.status) ? null : child
}
