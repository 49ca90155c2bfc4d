import fc from 'fast-check'

/** Random workflows as data. run-definition.ts defines what a node does. */

/** The last two are the host's own and one that names nothing: reads of them must work, writes must fail. */
export const planRefs = ['notes', 'user-1', 'scratch:', 'user-2', 'runs:flow-1', 'a/../b'] as const
export const planTags = ['red', 'blue'] as const

/** Where a node takes an entry's id from: the run's inputs, the result of an earlier node, or a text that is no id. */
export type IdSource =
  | { from: 'known'; nth: number }
  /** Nearly always looked for where that node left it. */
  | { from: 'node'; back: number; isElsewhere: boolean }
  | { from: 'empty' }

export type NodeKind =
  | { kind: 'put'; ref: number; ttl: number | null; tag: number | null; quotes: number | null; keepsResult: boolean }
  | { kind: 'list'; ref: number; limit: number | null; tag: number | null }
  | { kind: 'get'; ref: number; id: IdSource }
  | { kind: 'delete'; ref: number; id: IdSource }
  | { kind: 'identity' }
  | { kind: 'delay'; ms: number }
  | { kind: 'sub'; flow: number; isIsolated: boolean; onFailure: 'fail-parent' | 'continue'; isDetached?: boolean }
  | { kind: 'gate'; timeoutMs?: number | null }
  | { kind: 'fail' }

export type EdgePlan = { back: number; rule: number; condition: number | null }

export type NodePlan = { does: NodeKind; agent: boolean; isDisabled: boolean; edges: EdgePlan[] }

/** `isReversed` lists the nodes from the last to the first: what starts first goes by that order, not by the edges. */
export type FlowPlan = { nodes: NodePlan[]; isReversed: boolean; timeoutMs: number | null }

export const flowsMax = 3

/** True once in so many. */
function rarely(times: number): fc.Arbitrary<boolean> {
  return fc.oneof({ weight: times - 1, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) })
}

const memoryRef = fc.oneof(
  { weight: 10, arbitrary: fc.constant(0) },
  { weight: 5, arbitrary: fc.constant(1) },
  { weight: 6, arbitrary: fc.integer({ min: 2, max: 3 }) },
  { weight: 1, arbitrary: fc.integer({ min: 4, max: 5 }) },
)

const id: fc.Arbitrary<IdSource> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ from: fc.constant('node' as const), back: fc.nat(3), isElsewhere: rarely(6) }),
  },
  { weight: 4, arbitrary: fc.record({ from: fc.constant('known' as const), nth: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.constant({ from: 'empty' as const }) },
)

const tag = fc.option(fc.nat(planTags.length - 1), { freq: 3 })

const put = fc.record({
  kind: fc.constant('put' as const),
  ref: memoryRef,
  // From the first instant of the scenario: some lie in the past by the time the node runs.
  ttl: fc.option(fc.integer({ min: -1, max: 40 }), { freq: 3 }),
  tag,
  quotes: fc.option(fc.nat(4), { freq: 2 }),
  keepsResult: fc.oneof(fc.constant(true), fc.boolean()),
})

/** `delayMsMax` 0 gives workflows that take no time. */
function nodeKind(delayMsMax: number): fc.Arbitrary<NodeKind> {
  return fc.oneof(
    { weight: 10, arbitrary: put },
    {
      weight: 10,
      arbitrary: fc.record({
        kind: fc.constant('list' as const),
        ref: memoryRef,
        limit: fc.option(fc.nat(3), { freq: 3 }),
        tag,
      }),
    },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('get' as const), ref: memoryRef, id }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('delete' as const), ref: memoryRef, id }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('identity' as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('delay' as const), ms: fc.nat(delayMsMax) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('sub' as const),
        flow: fc.nat(flowsMax),
        isIsolated: rarely(4),
        onFailure: fc.constantFrom('fail-parent' as const, 'continue' as const),
        isDetached: rarely(6),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('gate' as const),
        timeoutMs: delayMsMax === 0 ? fc.constant(null) : fc.option(fc.integer({ min: 1, max: 8 }), { freq: 2 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const) }) },
  )
}

/** Half of the edges lead on from the node just before, so that chains are common; rules and conditions often end a flow. */
const edge: fc.Arbitrary<EdgePlan> = fc.record({
  back: fc.oneof(fc.constant(0), fc.nat(4)),
  rule: fc.oneof(
    { weight: 12, arbitrary: fc.constant(0) },
    { weight: 5, arbitrary: fc.constant(2) },
    { weight: 2, arbitrary: fc.nat(4) },
  ),
  condition: fc.oneof({ weight: 14, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(3) }),
})

function nodePlan(delayMsMax: number): fc.Arbitrary<NodePlan> {
  return fc.record({
    does: nodeKind(delayMsMax),
    agent: rarely(3),
    isDisabled: rarely(20),
    edges: fc.oneof(
      { weight: 5, arbitrary: fc.array(edge, { minLength: 1, maxLength: 1 }) },
      { weight: 3, arbitrary: fc.array(edge, { maxLength: 3 }) },
    ),
  })
}

export function flowPlans(delayMsMax = 2): fc.Arbitrary<FlowPlan[]> {
  // Left alone, fast-check likes short lists; most scenarios need a run that does something, and shrinking shortens it.
  const nodes = (nodesMin: number, nodesMax: number) =>
    fc.oneof(
      { withCrossShrink: true },
      { weight: 1, arbitrary: fc.array(nodePlan(delayMsMax), { minLength: 1, maxLength: nodesMin }) },
      { weight: 3, arbitrary: fc.array(nodePlan(delayMsMax), { minLength: nodesMin, maxLength: nodesMax }) },
    )
  const flow = (nodesMin: number, nodesMax: number): fc.Arbitrary<FlowPlan> =>
    fc.record({
      nodes: nodes(nodesMin, nodesMax),
      isReversed: fc.boolean(),
      timeoutMs: delayMsMax === 0 ? fc.constant(null) : fc.option(fc.integer({ min: 1, max: 8 }), { freq: 20 }),
    })
  return fc.tuple(flow(5, 10), flow(3, 5), flow(2, 3)).map((flows) => [...flows])
}
