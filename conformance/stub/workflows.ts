// The workflows of the stub host: only what the scenarios need to know of each.
export type StubNode = { readonly id: string; readonly typeId: string; readonly config?: Record<string, unknown> }

const noop = (...ids: readonly string[]): StubNode[] => ids.map((id) => ({ id, typeId: 'core.noop' }))
const approval = { artifactId: 'gate', artifactType: 'decision', title: 'May it go on?', actions: ['accept', 'reject'] }
const questions = { questions: [{ id: 'q1', question: 'Which color?' }] }
const correlation = { orderId: 'fixture-order-1', status: 'completed' }

export const workflows: Readonly<Record<string, readonly StubNode[]>> = {
  'conformance-noop': noop('noop'),
  'conformance-idempotent': noop('noop'),
  'conformance-version-fold': noop('noop'),
  'conformance-configurable-schema': noop('noop'),
  'conformance-multi-node': noop('a', 'b', 'c'),
  'conformance-cap-breach': noop('n1', 'n2', 'n3', 'n4', 'n5', 'n6'),
  'conformance-identity': [{ id: 'echo', typeId: 'core.identity' }],
  'conformance-failure': [{ id: 'fail', typeId: 'core.fail' }],
  'conformance-capability-missing': [{ id: 'n1', typeId: 'conformance.requiresMissing' }],
  'conformance-delay': [{ id: 'wait', typeId: 'core.delay' }],
  'conformance-cancellable': [{ id: 'wait', typeId: 'core.delay', config: { delayMs: 30_000 } }],
  'conformance-run-duration-breach': [{ id: 'wait', typeId: 'core.delay', config: { delayMs: 30_000 } }],
  'conformance-approval': [{ id: 'gate', typeId: 'core.approvalGate', config: { kind: 'approval', data: approval } }],
  'conformance-clarification': [
    { id: 'ask', typeId: 'core.clarificationGate', config: { kind: 'clarification', data: questions } },
  ],
  'conformance-interrupt-external-event': [
    {
      id: 'wait-for-external',
      typeId: 'core.interrupt',
      config: {
        kind: 'external-event',
        correlation,
        data: { eventType: 'conformance.external.completed', correlation },
      },
    },
  ],
  'conformance-replay-side-effect': [
    { id: 'wait', typeId: 'core.delay' },
    { id: 'effect', typeId: 'stub.effect' },
  ],
}

export function definitionOf(id: string): unknown {
  const nodes = (workflows[id] ?? []).map(({ id: node, typeId, config = {} }) => ({
    id: node,
    typeId,
    name: node,
    position: { x: 0, y: 0 },
    config,
    inputs: {},
  }))
  const triggers = [{ id: 'manual', type: 'manual' }]
  const schema = id === 'conformance-configurable-schema' ? { configurableSchema: { type: 'object' } } : {}
  return {
    id,
    name: id,
    version: '1.0',
    nodes,
    edges: [],
    triggers,
    variables: [],
    metadata: {},
    settings: {},
    ...schema,
  }
}
