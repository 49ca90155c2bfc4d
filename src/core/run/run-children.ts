import type { RunFacts } from './run.ts'

/** A child run, and the node of its parent that started it. */
export type ChildRun = { readonly nodeId: string; readonly runId: string }

/** The child runs of a run with the node that started each: of sub-workflows, and of every turn of a dispatch node. */
export function childRunsOf({ nodes, dispatched = [] }: RunFacts): ChildRun[] {
  const known = new Set(dispatched.map(({ runId }) => runId))
  const started = Object.entries(nodes).flatMap(([nodeId, { childRunId }]) =>
    childRunId === undefined || known.has(childRunId) ? [] : [{ nodeId, runId: childRunId }],
  )
  return [...dispatched, ...started]
}
