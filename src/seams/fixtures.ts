import type { WorkflowDefinition } from '../core/workflow/definition.ts'
import { structuredAgent } from './agent-fixture.ts'
import { node, workflow } from './fixture-parts.ts'
import { loopFixtures } from './loop-fixtures.ts'

/** Workflows that the conformance tests expect. They are registered only while the test seams are on. */

const fromVariable = (name: string) => ({ [name]: { type: 'variable', variableName: name } })

const delayed = (id: string, delayMs: number) =>
  workflow(id, [node('wait', 'core.delay', { inputs: fromVariable('delayMs') })], {
    variables: [{ name: 'delayMs', type: 'number', required: true, defaultValue: delayMs }],
  })

/** No time limit, because a person has to answer. */
const patient = { settings: { timeout: 0 } }

const question = { id: 'q1', question: 'What is your favourite colour?' }

const externalEvent = {
  kind: 'external-event',
  data: {
    eventType: 'conformance.external.completed',
    correlation: { orderId: 'fixture-order-1', status: 'completed' },
  },
  timeoutMs: 60_000,
}

function mockAgent(id: string, config: object): WorkflowDefinition {
  const agent = { agentId: 'core.conformance.mock-agent', modelClass: 'reasoning' }
  return workflow(id, [node('agent', 'core.conformance.mock-agent', { config, agent })], patient)
}

function memoryProbe(id: string, nodeId: string, memoryRef: string, config: object): WorkflowDefinition {
  const agent = { agentId: 'core.conformance.memory-agent', modelClass: 'chat', memoryRef }
  return workflow(id, [node(nodeId, 'core.identity', { config, agent })])
}

export const fixtures: readonly WorkflowDefinition[] = [
  workflow('conformance-noop', [node('noop', 'core.noop')]),
  workflow('conformance-version-fold', [node('noop', 'core.noop')]),
  workflow('conformance-identity', [node('echo', 'core.identity', { inputs: fromVariable('payload') })], {
    variables: [{ name: 'payload', type: 'object', required: true }],
  }),
  delayed('conformance-delay', 1_000),
  delayed('conformance-cancellable', 30_000),
  delayed('conformance-run-duration-breach', 30_000),
  workflow('conformance-failure', [node('fail', 'core.fail')]),
  workflow('conformance-idempotent', [node('noop', 'core.noop')], {
    variables: [{ name: 'nonce', type: 'string', required: true }],
  }),
  workflow(
    'conformance-multi-node',
    ['a', 'b', 'c'].map((id) => node(id, 'core.noop')),
  ),
  workflow(
    'conformance-cap-breach',
    [1, 2, 3, 4, 5, 6].map((number) => node(`n${number}`, 'core.noop')),
  ),
  workflow('conformance-configurable-schema', [node('noop', 'core.noop')], {
    configurableSchema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        recursionLimit: { type: 'integer', minimum: 1 },
        tags: { type: 'array', items: { type: 'string' } },
      },
    },
  }),
  workflow(
    'conformance-approval',
    [node('gate', 'core.approvalGate', { config: { title: 'Approve', actions: ['accept', 'reject'] } })],
    patient,
  ),
  workflow(
    'conformance-approval-approvers',
    [
      node('gate', 'core.approvalGate', {
        config: { title: 'Approve', actions: ['accept', 'reject'], approversList: ['urn:conformance:listed-approver'] },
      }),
    ],
    patient,
  ),
  workflow(
    'conformance-clarification',
    [node('ask', 'core.clarificationGate', { config: { questions: [question] } })],
    patient,
  ),
  workflow(
    'conformance-interrupt-external-event',
    [node('wait-for-external', 'core.interrupt', { config: externalEvent })],
    patient,
  ),
  workflow('conformance-capability-missing', [node('n1', 'conformance.requiresMissing')]),
  workflow(
    'conformance-replay-side-effect',
    [
      node('wait', 'core.delay', { inputs: fromVariable('delayMs') }),
      node('effect', 'colophon.memory.put', {
        config: { memoryRef: 'conformance/replay-side-effect', content: 'an effect' },
      }),
    ],
    { variables: [{ name: 'delayMs', type: 'number', required: true, defaultValue: 1_000 }] },
  ),
  workflow(
    'conformance-subworkflow-child',
    ['child-n1', 'child-n2'].map((id) => node(id, 'core.noop')),
    { variables: [{ name: 'childResult', type: 'string', defaultValue: 'child-completed' }] },
  ),
  workflow('conformance-subworkflow-parent', [
    node('parent-start', 'core.noop'),
    node('subwf-call', 'core.subWorkflow', {
      config: {
        workflowId: 'conformance-subworkflow-child',
        waitForCompletion: true,
        onChildFailure: 'fail-parent',
        outputMapping: { childOutcome: 'childResult' },
      },
    }),
    node('parent-end', 'core.noop'),
  ]),
  memoryProbe('conformance-agent-memory-roundtrip', 'memory-roundtrip', 'conformance/agent-memory-roundtrip', {
    memoryAction: 'write-then-read',
  }),
  memoryProbe('conformance-agent-memory-redaction', 'memory-redaction-probe', 'conformance/agent-memory-redaction', {
    memoryAction: 'redaction-probe',
    byokSecretId: 'conformance-test-secret',
  }),
  memoryProbe('conformance-agent-memory-ttl', 'memory-ttl-probe', 'conformance/agent-memory-ttl', {
    memoryAction: 'ttl-probe',
  }),
  memoryProbe('conformance-agent-memory-cross-tenant', 'cross-tenant-probe', 'conformance/agent-memory-cti', {
    memoryAction: 'cross-tenant-probe',
    probeMemoryRef: 'conformance/another-tenant/agent-memory',
  }),
  memoryProbe('conformance-agent-memory-injection-budget', 'memory-budget-probe', 'conformance/agent-memory-budget', {
    memoryAction: 'list-budgeted',
    byokSecretId: 'conformance-test-secret',
    tokenBudget: 100,
    probeMemoryRef: 'conformance/another-tenant/agent-memory',
  }),
  workflow('openwop-smoke-byok-roundtrip', [
    node('resolve-secret', 'conformance.secret.echo', {
      config: { secretId: 'openwop-conformance-canary-secret' },
    }),
  ]),
  workflow('conformance-secret-resolve-then-fail', [
    node('resolve-secret', 'conformance.secret.echo', {
      config: { secretId: 'openwop-conformance-canary-secret' },
    }),
    node('fail', 'core.fail'),
  ]),
  workflow('conformance-agent-identity', [
    node('identify', 'core.identity', { agent: { agentId: 'core.conformance.identity-agent' } }),
  ]),
  mockAgent('conformance-agent-reasoning', {
    mockReasoning: { summary: 'Considered two options; chose the first.' },
    mockToolCalls: [{ toolId: 'openwop:search', arguments: { q: 'openwop' }, result: ['hit-1', 'hit-2'] }],
    mockDecision: { decision: { next: 'summarise' }, confidence: 1 },
  }),
  mockAgent('conformance-agent-low-confidence', {
    mockDecision: { decision: { kind: 'stub-low-confidence' }, confidence: 0.5 },
  }),
  workflow(
    'conformance-agent-pack-handoff-schema-validation',
    [node('agent', 'conformance.agent.run', { agent: { agentId: structuredAgent.agentId } })],
    patient,
  ),
  ...loopFixtures,
]
