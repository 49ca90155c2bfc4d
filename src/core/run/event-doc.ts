import { toInstant } from '../check.ts'
import type { NewRunEvent, RunEvent } from './run.ts'

/** An event as OpenWOP shows it. */
export type RunEventDoc = {
  readonly eventId: string
  readonly runId: string
  readonly sequence: number
  readonly type: string
  readonly nodeId?: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly timestamp: string
  readonly schemaVersion: number
  readonly engineVersion: string
}

export const engineVersion = 1
export const eventLogSchemaVersion = 2

/** The id follows from run and sequence: it needs no storing, and no two events of a host share one. */
export function toEventDoc(runId: string, event: RunEvent): RunEventDoc {
  const { sequence, type, nodeId, payload, at } = event
  return {
    eventId: `evt_${runId.replace(/^run_/, '')}_${sequence}`,
    runId,
    sequence,
    type,
    ...(nodeId === null ? {} : { nodeId }),
    payload,
    timestamp: toInstant(at),
    schemaVersion: 1,
    engineVersion: String(engineVersion),
  }
}

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
