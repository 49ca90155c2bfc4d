import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isColophonError } from '../errors.ts'
import type { WorkflowDefinition, WorkflowEdge } from './definition.ts'
import { checkGraph, forwardOrder } from './graph.ts'
import { dispatchTypeId, loopOf, supervisorTypeId } from './loop.ts'
import { nextAction } from './next-action.ts'

type Pair = readonly [from: string, to: string, more?: Partial<WorkflowEdge>]

/** Nodes are named after their type: `s` supervises, `d` dispatches, all others do nothing. */
function graph(ids: string, ...pairs: readonly Pair[]): WorkflowDefinition {
  const typeOf = (id: string) =>
    ({ s: supervisorTypeId, z: supervisorTypeId, d: dispatchTypeId, e: dispatchTypeId })[id]
  const nodes = [...ids].map((id) => ({ id, typeId: typeOf(id) ?? 'core.noop', config: {}, inputs: {} }))
  const edges = pairs.map(([sourceNodeId, targetNodeId, more], index) => ({
    id: `e${index}`,
    sourceNodeId,
    targetNodeId,
    ...more,
  }))
  return { nodes, edges } as unknown as WorkflowDefinition
}

const isAccepted = (definition: WorkflowDefinition): boolean => {
  try {
    checkGraph(definition)
    return true
  } catch (error) {
    assert.ok(isColophonError(error, 'validation_error'), String(error))
    return false
  }
}

test('a supervisor and its dispatch node may form a cycle, and no other nodes', () => {
  assert.ok(isAccepted(graph('asdb', ['a', 's'], ['s', 'd'], ['d', 's'], ['d', 'b'])))
  assert.ok(isAccepted(graph('sd', ['s', 'd'])))
  assert.ok(!isAccepted(graph('ab', ['a', 'b'], ['b', 'a'])))
  assert.ok(!isAccepted(graph('sad', ['s', 'a'], ['a', 'd'], ['d', 's'])), 'a node between them')
  assert.ok(!isAccepted(graph('sda', ['s', 'd'], ['d', 's'], ['d', 'a'], ['a', 's'])), 'a second way back')
  assert.ok(!isAccepted(graph('sa', ['s', 'a'], ['a', 's'])), 'no dispatch node')
})

test('a workflow has one supervisor, and only its decisions end the loop', () => {
  assert.ok(!isAccepted(graph('sz')))
  const condition = { type: 'equals', left: 'variables.x', right: 1 } as const
  assert.ok(!isAccepted(graph('sd', ['s', 'd'], ['d', 's', { condition }])))
  assert.ok(!isAccepted(graph('sd', ['s', 'd'], ['d', 's', { triggerRule: 'all_complete' }])))
  assert.ok(!isAccepted(graph('sd', ['s', 'd', { condition }], ['d', 's'])))
  assert.ok(!isAccepted(graph('sda', ['s', 'd'], ['d', 's'], ['s', 'a'])), 'a node beside the loop')
})

test('the order and the next action leave the edge back out', () => {
  const definition = graph('bsd', ['s', 'd'], ['d', 's'], ['d', 'b'])
  assert.deepEqual(loopOf(definition), { supervisorId: 's', dispatchId: 'd' })
  assert.deepEqual(forwardOrder(definition), ['s', 'd', 'b'])
  const values = { inputs: {}, variables: {}, outputs: {} }
  assert.deepEqual(nextAction(definition, {}, values), { kind: 'start', nodeId: 's' })
  assert.deepEqual(nextAction(definition, { s: 'completed' }, values), { kind: 'start', nodeId: 'd' })
  assert.deepEqual(nextAction(definition, { s: 'completed', d: 'completed' }, values), { kind: 'start', nodeId: 'b' })
})
