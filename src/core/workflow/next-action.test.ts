import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TriggerRule, WorkflowDefinition, WorkflowEdge } from './definition.ts'
import { isFailureHandled, type NodeStatus, nextAction } from './next-action.ts'
import type { RunValues } from './template.ts'

const scope: RunValues = { inputs: {}, variables: { yes: true }, outputs: {} }

/** `a!` is a disabled node. */
function graph(nodes: string, edges: readonly (Partial<WorkflowEdge> & { readonly of: string })[]): WorkflowDefinition {
  return {
    id: 'w',
    name: 'W',
    version: '1',
    nodes: nodes.split(' ').map((name) => ({
      id: name.replace('!', ''),
      typeId: 'core.noop',
      name,
      position: { x: 0, y: 0 },
      config: {},
      inputs: {},
      disabled: name.endsWith('!'),
    })),
    edges: edges.map(({ of, ...rest }, index) => {
      const [sourceNodeId = '', targetNodeId = ''] = of.split('>')
      return { id: `e${index}`, sourceNodeId, targetNodeId, ...rest }
    }),
    triggers: [],
    variables: [],
    metadata: {},
    settings: {},
  }
}

const when = (right: boolean) => ({ condition: { type: 'equals', left: 'variables.yes', right } as const })

type Statuses = Record<string, NodeStatus | undefined>

function step(definition: WorkflowDefinition, statuses: Statuses): string {
  const next = nextAction(definition, statuses, scope)
  if (next.kind === 'skip') return `skip ${next.nodeId} ${next.reason}`
  return next.kind === 'start' ? `start ${next.nodeId}` : next.kind
}

/** Executes to the end; nodes in `failing` fail. Returns the actions in order. */
function run(definition: WorkflowDefinition, failing: readonly string[] = []): string[] {
  const statuses: Statuses = {}
  const steps: string[] = []
  for (;;) {
    const next = nextAction(definition, statuses, scope)
    if (next.kind === 'done' || next.kind === 'wait') return steps
    assert.equal(statuses[next.nodeId], undefined, 'a node is handled once')
    steps.push(next.kind === 'skip' ? `-${next.nodeId}:${next.reason}` : next.nodeId)
    statuses[next.nodeId] = next.kind === 'skip' ? 'skipped' : failing.includes(next.nodeId) ? 'failed' : 'completed'
  }
}

test('nodes start in the order of edges, then in that of the definition', () => {
  assert.deepEqual(run(graph('c b a', [{ of: 'a>b' }, { of: 'b>c' }])), ['a', 'b', 'c'])
  assert.deepEqual(run(graph('a b c', [])), ['a', 'b', 'c'])
})

test('a run waits while a node is active and no other can start', () => {
  const definition = graph('a b c', [{ of: 'a>c' }])
  assert.equal(step(definition, { a: 'running' }), 'start b')
  assert.equal(step(definition, { a: 'waiting', b: 'running' }), 'wait')
  assert.equal(step(definition, { a: 'completed', b: 'running' }), 'start c')
  assert.equal(step(definition, { a: 'completed', b: 'completed', c: 'failed' }), 'done')
})

test('conditions choose a branch, and branches join again', () => {
  const definition = graph('a b c d e', [
    { of: 'a>b', ...when(true) },
    { of: 'a>c', ...when(false) },
    { of: 'b>d' },
    { of: 'c>d' },
    { of: 'c>e' },
  ])
  assert.deepEqual(run(definition), ['a', 'b', '-c:condition', 'd', '-e:upstream_skipped'])
})

test('a disabled node counts as a success only if it would have started', () => {
  assert.deepEqual(run(graph('a b! c', [{ of: 'a>b' }, { of: 'b>c' }])), ['a', '-b:disabled', 'c'])
  assert.deepEqual(run(graph('a b! c! d', [{ of: 'a>b', ...when(false) }, { of: 'b>c' }, { of: 'c>d' }])), [
    'a',
    '-b:disabled',
    '-c:disabled',
    '-d:upstream_skipped',
  ])
})

test('each trigger rule starts, skips or waits by the outcomes of the sources', () => {
  const rules: Record<TriggerRule, Record<string, string>> = {
    // Statuses of the two sources, by their first letters, and what happens to the target.
    all_success: { cc: 'start', cs: 'start', cf: 'upstream_failed', cr: 'wait', ss: 'upstream_skipped', fr: 'wait' },
    any_success: {
      cc: 'start',
      cs: 'start',
      cf: 'start',
      cr: 'start',
      ss: 'upstream_skipped',
      ff: 'upstream_failed',
      fr: 'wait',
    },
    all_complete: { cc: 'start', cf: 'start', cr: 'wait', ss: 'start', ff: 'start' },
    none_failed: { cc: 'start', cs: 'start', cf: 'upstream_failed', cr: 'wait', ss: 'start' },
    any_failed: { cc: 'nothing_failed', cs: 'nothing_failed', cf: 'start', cr: 'wait', fr: 'start', ff: 'start' },
  }
  const statusOf: Statuses = { c: 'completed', s: 'skipped', f: 'failed', r: 'running' }
  for (const [triggerRule, cases] of Object.entries(rules) as [TriggerRule, Record<string, string>][]) {
    const definition = graph('a b t', [
      { of: 'a>t', triggerRule },
      { of: 'b>t', triggerRule },
    ])
    for (const [[a = '', b = ''], expected] of Object.entries(cases).map(
      ([key, value]) => [[...key], value] as const,
    )) {
      const found = step(definition, { a: statusOf[a], b: statusOf[b] })
      assert.equal(found.replace(/^skip t /, '').replace(' t', ''), expected, `${triggerRule} ${a}${b}`)
    }
  }
  assert.equal(step(graph('a t', [{ of: 'a>t', triggerRule: 'any_failed' }]), { a: 'cancelled' }), 'start t')
})

test('a condition closes an edge under every rule', () => {
  for (const triggerRule of ['all_success', 'any_success', 'all_complete', 'none_failed'] as const) {
    assert.deepEqual(run(graph('a t', [{ of: 'a>t', triggerRule, ...when(false) }])), ['a', '-t:condition'])
    assert.deepEqual(run(graph('a t', [{ of: 'a>t', triggerRule, ...when(true) }])), ['a', 't'])
  }
  assert.deepEqual(run(graph('a t', [{ of: 'a>t', triggerRule: 'any_failed', ...when(false) }]), ['a']), [
    'a',
    '-t:condition',
  ])
})

test('different trigger rules of one node must all be met', () => {
  const definition = graph('a b t', [
    { of: 'a>t', triggerRule: 'any_failed' },
    { of: 'b>t', triggerRule: 'all_success' },
  ])
  assert.deepEqual(run(definition, ['a']), ['a', 'b', 't'])
  assert.deepEqual(run(definition, ['a', 'b']), ['a', 'b', '-t:upstream_failed'])
  assert.equal(step(definition, { a: 'failed', b: 'running' }), 'wait')
})

test('a failure is handled by a direct successor with all_complete or any_failed', () => {
  const definition = graph('a b c d e! f', [
    { of: 'a>b' },
    { of: 'b>c', triggerRule: 'any_failed' },
    { of: 'c>d', triggerRule: 'all_complete' },
    { of: 'd>e', triggerRule: 'any_failed' },
  ])
  const handled = ['a', 'b', 'c', 'd', 'f'].filter((id) => isFailureHandled(definition, id))
  assert.deepEqual(handled, ['b', 'c'])
})

test('a chain of 500 disabled nodes and 2,500 edges is decided quickly', () => {
  const ids = Array.from({ length: 500 }, (_, index) => `n${499 - index}`)
  const chain = ids.slice(1).map((id, index) => ({ of: `${id}>${ids[index]}` }))
  const more = Array.from({ length: 2_001 }, (_, index) => ({ of: `n${index % 249}>n${250 + (index % 250)}` }))
  const start = performance.now()
  const steps = run(graph(ids.map((id) => (id === 'n0' ? id : `${id}!`)).join(' '), [...chain, ...more]))
  assert.equal(steps.length, 500)
  assert.equal(steps.at(-1), '-n499:disabled')
  assert.ok(performance.now() - start < 20_000)
})

test('for any graph and outcomes, each node is started or skipped once and the run ends', () => {
  const rule = fc.constantFrom<TriggerRule | undefined>(
    undefined,
    'all_success',
    'any_success',
    'all_complete',
    'none_failed',
    'any_failed',
  )
  const size = 8
  const edges = fc.array(
    fc.record({ a: fc.nat(size - 1), b: fc.nat(size - 1), rule, gate: fc.constantFrom(undefined, true, false) }),
    { maxLength: 20 },
  )
  const order = fc.shuffledSubarray(
    Array.from({ length: size }, (_, index) => index),
    { minLength: size },
  )
  const turns = fc.infiniteStream(
    fc.record({
      pick: fc.nat(20),
      end: fc.constantFrom<NodeStatus>('completed', 'failed', 'skipped', 'cancelled'),
    }),
  )
  fc.assert(
    fc.property(
      edges,
      order,
      fc.array(fc.boolean(), { minLength: size, maxLength: size }),
      turns,
      (links, names, disabled, choices) => {
        const nodes = names.map((index) => `n${index}${disabled[index] ? '!' : ''}`).join(' ')
        const definition = graph(
          nodes,
          links
            .filter(({ a, b }) => a < b)
            .map(({ a, b, rule: triggerRule, gate }) => ({
              of: `n${a}>n${b}`,
              ...(triggerRule === undefined ? {} : { triggerRule }),
              ...(gate === undefined ? {} : when(gate)),
            })),
        )
        const statuses: Statuses = {}
        const handled: string[] = []
        for (let turn = 0; ; turn++) {
          assert.ok(turn < 10 * size, 'the run ends')
          const next = nextAction(definition, statuses, scope)
          assert.deepEqual(
            nextAction(structuredClone(definition), statuses, scope),
            next,
            'the same question has one answer',
          )
          if (next.kind === 'done') break
          const { pick, end } = choices.next().value
          const underWay = Object.keys(statuses).filter((id) => statuses[id] === 'running')
          if (next.kind === 'wait' || (underWay.length > 0 && pick % 3 === 0)) {
            // An active node ends, at any time and with any status.
            statuses[underWay[pick % underWay.length] ?? ''] = end
            continue
          }
          handled.push(next.nodeId)
          statuses[next.nodeId] = next.kind === 'skip' ? 'skipped' : 'running'
        }
        assert.deepEqual(handled.toSorted(), definition.nodes.map((node) => node.id).toSorted())
        assert.ok(Object.values(statuses).every((status) => status !== 'running'))
      },
    ),
  )
})
