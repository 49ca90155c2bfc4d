import type { WorkflowDefinition } from '../core/workflow/definition.ts'
import { node, workflow } from './fixture-parts.ts'

/** Workflows of supervisors, dispatch nodes and conversations that the conformance tests expect. */

type Parts = { readonly config?: object; readonly dispatch?: object; readonly variables?: readonly object[] }

const agent = { agentId: 'core.conformance.orchestrator', modelClass: 'reasoning' }

/** A supervisor and a dispatch node that leads back to it. */
function loop(
  id: string,
  { config = {}, dispatch = {}, variables = [] }: Parts,
  withAgent = false,
): WorkflowDefinition {
  const parts = withAgent ? { config, agent } : { config }
  const nodes = [
    node('supervisor', 'core.orchestrator.supervisor', parts),
    node('dispatch', 'core.dispatch', { config: dispatch }),
  ]
  const edges = [
    { id: 'act', sourceNodeId: 'supervisor', targetNodeId: 'dispatch' },
    { id: 'back', sourceNodeId: 'dispatch', targetNodeId: 'supervisor' },
  ]
  return workflow(id, nodes, { edges, variables, settings: { timeout: 0 } })
}

const conversation = (id: string, config: object = {}) =>
  workflow(id, [node('talk', 'core.conversationGate', { config: { lifecycle: 'open-exchange-close', ...config } })], {
    settings: { timeout: 0 },
  })
const auto = { mockAutoResume: true }

const worker = (...nextWorkerIds: readonly string[]) => ({ kind: 'next-worker', nextWorkerIds })
const terminate = { kind: 'terminate', reason: 'goal-reached' }
const variable = (name: string, defaultValue?: string) => ({
  name,
  type: 'string',
  ...(defaultValue ? { defaultValue } : {}),
})
const child = (id: string, ...variables: readonly object[]) => workflow(id, [node('noop', 'core.noop')], { variables })

export const loopFixtures: readonly WorkflowDefinition[] = [
  conversation('conformance-conversation-lifecycle', auto),
  conversation('conformance-conversation-replay', { ...auto, turnCount: 3 }),
  conversation('conformance-conversation-vs-clarification', auto),
  conversation('conformance-conversation-open', { prompt: 'How can I help?' }),
  workflow(
    'conformance-message-reducer',
    [node('emit', 'core.identity', { config: { emitDuplicateMessageId: true } })],
    {
      channels: { messages: { reducer: 'message', schema: { type: 'array' } } },
    },
  ),
  loop(
    'conformance-orchestrator-dispatch',
    { config: { mockDecisions: [worker('conformance-noop'), terminate] } },
    true,
  ),
  loop('conformance-orchestrator-terminate', { config: { mockDecisions: [terminate] } }, true),
  loop(
    'conformance-orchestrator-low-confidence',
    { config: { mockConfidence: 0.5, mockPendingDecision: terminate } },
    true,
  ),
  loop('conformance-dispatch-loop', {}),
  loop('conformance-multi-agent-handoff', {
    config: { mockDispatchPlan: [worker('conformance-multi-agent-handoff-child'), terminate] },
    dispatch: { outputMapping: { parentResult: 'childOutcome' } },
    variables: [variable('parentResult')],
  }),
  child('conformance-multi-agent-handoff-child', variable('childOutcome', 'handoff-complete')),
  loop('conformance-multi-agent-confidence-escalation', {
    config: { mockDispatchPlan: [{ ...worker('conformance-noop'), confidence: 0.3 }] },
  }),
  loop('conformance-dispatch-input-mapping', {
    config: { mockDispatchPlan: [worker('conformance-dispatch-input-mapping-child'), terminate] },
    dispatch: { inputMapping: { childGreeting: 'parentName' } },
    variables: [variable('parentName', 'Alice')],
  }),
  child('conformance-dispatch-input-mapping-child', variable('childGreeting')),
  loop('conformance-dispatch-output-mapping', {
    config: { mockDispatchPlan: [worker('conformance-dispatch-output-mapping-child'), terminate] },
    dispatch: { outputMapping: { parentResult: 'childResult' } },
    variables: [variable('parentResult')],
  }),
  child('conformance-dispatch-output-mapping-child', variable('childResult', 'done')),
  loop('conformance-dispatch-failed-child', {
    config: { mockDispatchPlan: [worker('conformance-failure'), terminate] },
    dispatch: { outputMapping: { parentResult: 'childResult' } },
    variables: [variable('parentResult', 'untouched')],
  }),
  loop('conformance-dispatch-cancelled-child', {
    config: { mockDispatchPlan: [worker('conformance-cancellable'), terminate] },
    dispatch: { outputMapping: { parentResult: 'delayMs' } },
    variables: [variable('parentResult', 'untouched')],
  }),
  loop('conformance-dispatch-cross-worker', {
    config: {
      mockDispatchPlan: [
        worker('conformance-dispatch-cross-worker-a', 'conformance-dispatch-cross-worker-b'),
        terminate,
      ],
    },
    dispatch: {
      perWorkerOutputMappings: { 'conformance-dispatch-cross-worker-a': { sharedVar: 'produced' } },
      perWorkerInputMappings: { 'conformance-dispatch-cross-worker-b': { consumed: 'sharedVar' } },
    },
    variables: [variable('sharedVar')],
  }),
  child('conformance-dispatch-cross-worker-a', variable('produced', 'hello')),
  child('conformance-dispatch-cross-worker-b', variable('consumed')),
]
