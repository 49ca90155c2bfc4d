import type { NewRunEvent, RunEvent } from './run.ts'

/** Payload members whose values the host makes: identifiers and numbers. All other members are redacted. */
const hostMembers: ReadonlySet<string> = new Set([
  'workflowId',
  'transport',
  'owner',
  'nodeId',
  'typeId',
  'attempt',
  'attempts',
  'memoryRef',
  'memoryId',
  'outputId',
  'sourceIds',
  'sourceCount',
  'byteSize',
  'trigger',
  'agentId',
  'interruptId',
  'kind',
  'actions',
  'requiredApprovals',
  'action',
  'limit',
  'observed',
  'drainPolicy',
  'parentRunId',
  'failedNodeId',
  'decidedAt',
  'decidedBy',
  'resolvedBy',
  'cancelledBy',
  'by',
  'timeoutMs',
  'sanitised',
  'phase',
  'childRunId',
  'childWorkflowId',
  'confidence',
  'floor',
  'escalationKind',
  'threshold',
  'fromAgentId',
  'toAgentId',
  'toolName',
  'callId',
  'verbosity',
  'invocationId',
  'source',
  'modelClass',
  'resolvedModel',
  'toolSurfaceCount',
  'memoryBound',
  'schemaValidated',
  'provider',
  'model',
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'conversationId',
  'turnIndex',
  'channel',
  'reducer',
  'writtenAt',
])

/** Whether nodes emit events of this type themselves. All others are the engine's. */
export function isNodeEmitted(type: string): boolean {
  return (type.startsWith('agent.') || type === 'provider.usage') && type !== 'agent.memory.consolidated'
}

/** A recorded event for a replay. Its text is redacted again, because secrets may have been added since. */
export function toReplayedEvent({ type, nodeId, payload, at, cause }: RunEvent): NewRunEvent {
  const isHostMember = ([name]: [string, unknown]) => hostMembers.has(name)
  const members = Object.entries(payload)
  const text = Object.fromEntries(members.filter((member) => !isHostMember(member)))
  const caused = cause === undefined ? {} : { cause }
  return { type, nodeId, facts: Object.fromEntries(members.filter(isHostMember)), text, at, ...caused }
}
