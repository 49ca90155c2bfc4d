import type { HostNodeRequest, NodeResult } from '../app/runs/node-type.ts'
import { invalid } from '../core/errors.ts'
import type { InterruptRequest } from '../core/run/interrupt.ts'
import { checkConfigurableSchema } from '../core/workflow/configurable.ts'
import { isErased } from '../core/workflow/erased-value.ts'
import { isJsonObject, type JsonObject } from '../core/workflow/json-values.ts'
import { defineNodeType } from './define-node-type.ts'
import { answerVariableMember, checkTimeout } from './interrupt-result.ts'

export const conversationGate = defineNodeType({
  typeId: 'core.conversationGate',
  description: 'Opens a conversation, and waits until a client closes it.',
  config: {
    prompt: { description: 'the first message' },
    title: { description: 'the title of the conversation' },
    outcomeSchema: { description: 'the schema of the outcome' },
    timeoutMs: { description: 'milliseconds until the conversation is closed without an outcome; 0 for no timeout' },
    into: answerVariableMember,
  },
  hasLenientConfig: true,
  replay: 'asks',
  acceptsErased: true,
  checkConfig({ timeoutMs, outcomeSchema, prompt }, field) {
    checkTimeout(timeoutMs, field)
    if (outcomeSchema !== undefined) checkConfigurableSchema(outcomeSchema)
    if (prompt !== undefined && typeof prompt !== 'string') throw invalid(`${field}.prompt`, 'must be a text')
  },
  async execute(request: HostNodeRequest) {
    return converse(request)
  },
})

/** Opens the conversation of a node, or completes the node with its outcome. */
export function converse(request: HostNodeRequest, answers?: readonly unknown[]): NodeResult {
  const { config, node, resolution } = request
  if (resolution !== null) return closed(resolution.value, config.into)
  const prompt = typeof config.prompt === 'string' ? config.prompt : ''
  return {
    kind: 'interrupt',
    request: toRequest(request, config),
    eventRequest: toRequest(request, node.config),
    suspended: { reason: 'conversation-input' },
    conversation: { content: isErased(config.prompt) ? config.prompt : prompt, agentId: node.agent?.agentId ?? null },
    ...(answers === undefined ? {} : { answers }),
  }
}

/** The outcome of a conversation that was closed. */
function closed(value: unknown, into: unknown): NodeResult {
  if (!isJsonObject(value) || isErased(value)) return { kind: 'completed', outputs: { outcome: value } }
  const { conversationId, turnCount, outcome } = value
  const variables = typeof into === 'string' && into !== '' ? { variables: { [into]: outcome } } : {}
  return { kind: 'completed', outputs: { conversationId, turnCount, outcome }, ...variables }
}

function toRequest({ runId, node, turn }: HostNodeRequest, config: JsonObject): InterruptRequest {
  const { title, prompt, outcomeSchema, timeoutMs } = config
  return {
    kind: 'conversation.start',
    key: node.id,
    data: {
      conversationId: `conv.${runId}.${node.id}.${turn}`,
      ...(title === undefined ? {} : { title }),
      ...(prompt === undefined ? {} : { initialPrompt: prompt }),
    },
    ...(isJsonObject(outcomeSchema) ? { resumeSchema: outcomeSchema } : {}),
    ...(typeof timeoutMs === 'number' ? { timeoutMs } : {}),
  }
}
