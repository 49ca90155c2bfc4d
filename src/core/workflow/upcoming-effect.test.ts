import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WorkflowDefinition } from './definition.ts'
import type { NodeStatus } from './next-action.ts'
import { type ReplayRole, upcomingEffect } from './upcoming-effect.ts'

/** A chain of nodes; the type of each is named like its role. */
function ahead(roles: readonly ReplayRole[], statuses: Readonly<Record<string, NodeStatus>>): string | null {
  const nodes = roles.map((typeId, index) => ({ id: `n${index}`, typeId, name: '', config: {}, inputs: {} }))
  const edges = nodes.slice(1).map(({ id }, index) => ({ id, sourceNodeId: `n${index}`, targetNodeId: id }))
  const definition = { id: 'w', nodes, edges, variables: [] } as unknown as WorkflowDefinition
  const values = { inputs: {}, variables: {}, outputs: {} } as never
  return upcomingEffect(definition, statuses, values, (typeId) => typeId as ReplayRole)
}

test('the first effect after nodes that compute or sleep is found', () => {
  assert.equal(ahead(['computes', 'effects'], { n0: 'waiting' }), 'n1')
  assert.equal(ahead(['computes', 'computes', 'effects', 'effects'], { n0: 'running' }), 'n2')
  assert.equal(ahead(['effects'], {}), 'n0')
})

test('no effect is found after an interrupt, a read, a failure or a running effect', () => {
  for (const role of ['asks', 'reads', 'fails'] as const) {
    assert.equal(ahead([role, 'effects'], { n0: 'waiting' }), null, role)
    assert.equal(ahead(['computes', role, 'effects'], { n0: 'waiting' }), null, role)
  }
  assert.equal(ahead(['effects', 'effects'], { n0: 'running' }), null)
  assert.equal(ahead(['computes'], { n0: 'waiting' }), null)
})
