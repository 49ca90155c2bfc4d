import type { NewRunEvent, RunEvent } from './run.ts'

/** Members of payloads that the host makes itself: names and numbers, not words from outside. */
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
])

/** A recorded event, to be told again: its words go through the redactor anew, for secrets that came since. */
export function toRepeated({ type, nodeId, payload, at }: RunEvent): NewRunEvent {
  const isOwn = ([name]: [string, unknown]) => hostMembers.has(name)
  const members = Object.entries(payload)
  const text = Object.fromEntries(members.filter((member) => !isOwn(member)))
  return { type, nodeId, facts: Object.fromEntries(members.filter(isOwn)), text, at }
}
