import type { HostNodeRequest, NodeResult } from '../app/runs/node-type.ts'
import { checkCount } from '../core/check.ts'
import { invalid } from '../core/errors.ts'
import { inputsFor } from '../core/run/dispatch-chain.ts'
import { confidenceFloor } from '../core/run/orchestration.ts'
import { confidenceOf, type Decision } from '../core/workflow/decision.ts'
import { isJsonObject, type JsonObject, memberField } from '../core/workflow/json-values.ts'
import { dispatchTypeId } from '../core/workflow/loop.ts'
import { defineNodeType } from './define-node-type.ts'
import { answered } from './interrupt-result.ts'
import { isRejection, rejected } from './supervisor-result.ts'

const choices = {
  askUserRouting: ['auto', 'conversation', 'clarification'],
  workerDispatchModel: ['child-run'],
  fanOutPolicy: ['sequential', 'reject'],
  memoryScopeIsolation: ['shared', 'isolated'],
} as const

const members = {
  askUserRouting: { description: 'how a person is asked: conversation (auto means that) or clarification' },
  workerDispatchModel: { description: 'child-run' },
  fanOutPolicy: { description: 'several workers of one decision: sequential, or reject' },
  iterationCap: { description: 'the largest number of executions in a run' },
  inputMapping: { description: 'inputs of each child by name, each from a variable of this run' },
  outputMapping: { description: 'variables of this run by name, each from a variable of a completed child' },
  perWorkerInputMappings: { description: 'input mappings by workflow id, instead of the one for all' },
  perWorkerOutputMappings: { description: 'output mappings by workflow id, instead of the one for all' },
  memoryScopeIsolation: { description: 'shared or isolated' },
}

export const dispatch = defineNodeType({
  typeId: dispatchTypeId,
  description:
    'Acts on the last decision of the supervisor: runs workflows as child runs, asks a person, or ends the loop.',
  config: members,
  replay: 'effects',
  rawConfig: Object.keys(members),
  // Erased variables become erased inputs of a child.
  acceptsErased: true,
  checkConfig(config, field) {
    for (const [name, allowed] of Object.entries(choices)) {
      const value = config[name]
      if (value !== undefined && !(allowed as readonly unknown[]).includes(value))
        throw invalid(`${field}.${name}`, `must be one of ${allowed.join(', ')}`)
    }
    if (config.iterationCap !== undefined) checkCount(`${field}.iterationCap`, config.iterationCap, 1)
    for (const name of ['inputMapping', 'outputMapping'])
      if (config[name] !== undefined) checkMapping(`${field}.${name}`, config[name])
    for (const name of ['perWorkerInputMappings', 'perWorkerOutputMappings'])
      if (config[name] !== undefined) checkWorkerMappings(`${field}.${name}`, config[name])
  },
  async execute(request: HostNodeRequest) {
    const { decision } = request
    if (decision === null || decision === undefined)
      return failed('no_pending_decision', 'There is no decision to act on: a supervisor must decide first.')
    if (decision.value.kind === 'ask-user') return ask(request, decision)
    const held = holdBack(request, decision)
    if (held !== null) return held
    if (decision.value.kind === 'terminate') return { kind: 'completed', outputs: { decision: 'terminate' } }
    return nextWorker(request, decision.value.nextWorkerIds)
  },
})

type Pending = NonNullable<HostNodeRequest['decision']>

/** A decision below the floor is not executed before a person accepts it. A decision without a confidence is. */
function holdBack({ node, resolution }: HostNodeRequest, { value, shown }: Pending): NodeResult | null {
  const confidence = confidenceOf(value)
  if (confidence === undefined || confidence >= confidenceFloor) return null
  if (resolution !== null) return isRejection(resolution.value) ? rejected : null
  const toRequest = (artifactData: Decision) => ({
    kind: 'approval' as const,
    key: node.id,
    data: {
      artifactId: node.id,
      artifactType: 'decision',
      title: 'Execute a decision of low confidence?',
      actions: ['accept', 'reject'],
      artifactData,
    },
  })
  const workerId = shown.kind === 'next-worker' ? shown.nextWorkerIds[0] : undefined
  return {
    kind: 'interrupt',
    request: toRequest(value),
    eventRequest: toRequest(shown),
    escalation: { confidence, decision: shown, ...(workerId === undefined ? {} : { workerId }) },
  }
}

/** Workers run one after another. The node is executed again when one has ended. */
function nextWorker({ node, state, scope }: HostNodeRequest, workerIds: readonly string[]): NodeResult {
  const { workers = [], childRunId } = state
  const last = workers.at(-1)
  const isLost = childRunId !== undefined
  if (isLost || (last !== undefined && last.status !== 'completed'))
    return failed('child_run_failed', `The child run ended as ${isLost ? 'unknown' : last?.status}.`)
  if (workerIds.length > 1 && node.config.fanOutPolicy === 'reject')
    return failed('fan_out_unsupported', 'The decision names several workers, and the node refuses that.')
  const workerId = workerIds[workers.length]
  if (workerId === undefined)
    return { kind: 'completed', outputs: { childRunId: last?.runId ?? null, childStatus: last?.status ?? null } }
  return {
    kind: 'worker',
    child: {
      workflowId: workerId,
      inputs: inputsFor(node, workerId, scope.variables),
      isIsolated: node.config.memoryScopeIsolation === 'isolated',
      isDetached: false,
    },
  }
}

/** The answer becomes the outputs of the node, which the supervisor reads in its next turn. */
function ask(request: HostNodeRequest, { value, shown }: Pending): NodeResult {
  const { node, resolution } = request
  if (resolution !== null) return answered(resolution.value, undefined)
  if (node.config.askUserRouting !== 'clarification') return askInConversation(request, { value, shown })
  const toRequest = (decision: Decision) => ({
    kind: 'clarification' as const,
    key: node.id,
    data: { questions: [{ id: 'answer', question: decision.kind === 'ask-user' ? decision.prompt : '' }] },
  })
  return { kind: 'interrupt', request: toRequest(value), eventRequest: toRequest(shown) }
}

/** A conversation that the first turn of a client can close. */
function askInConversation({ runId, node, turn }: HostNodeRequest, { value, shown }: Pending): NodeResult {
  const conversationId = `conv.${runId}.${node.id}.${turn}`
  const toRequest = (decision: Decision) => ({
    kind: 'conversation.exchange' as const,
    key: node.id,
    data: { conversationId, prompt: decision.kind === 'ask-user' ? decision.prompt : '' },
  })
  return {
    kind: 'interrupt',
    request: toRequest(value),
    eventRequest: toRequest(shown),
    suspended: { reason: 'conversation-input' },
    conversation: { content: value.kind === 'ask-user' ? value.prompt : '', agentId: null },
  }
}

function checkMapping(field: string, mapping: unknown): asserts mapping is JsonObject {
  if (!isJsonObject(mapping) || !Object.values(mapping).every((name) => typeof name === 'string' && name !== ''))
    throw invalid(field, 'must be an object of names')
}

function checkWorkerMappings(field: string, mappings: unknown): void {
  if (!isJsonObject(mappings)) throw invalid(field, 'must be an object of mappings by workflow id')
  for (const [workerId, mapping] of Object.entries(mappings)) checkMapping(memberField(field, workerId), mapping)
}

function failed(code: string, message: string): NodeResult {
  return { kind: 'failed', error: { code, message } }
}
