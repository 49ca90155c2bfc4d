import { sha256 } from '../../../core/audit/digest.ts'
import type { RunError, RunEvent } from '../../../core/run/run.ts'
import { bindId } from '../ids.ts'
import { toShownError } from '../runs/run-error.ts'
import { ownerOf, subjectOf } from '../subject.ts'

type Values = Readonly<Record<string, unknown>>
type Payload = Record<string, unknown>

/** Members that each payload of version 2 has. Of types that are not listed, every member is shown as it is stored. */
const members: Readonly<Record<string, readonly string[]>> = {
  'run.started': ['workflowId', 'owner', 'transport', 'inputs', 'engineVersion', 'tags', 'metadata'],
  'run.completed': ['outputs', 'durationMs'],
  'run.failed': ['error', 'failedNodeId', 'durationMs'],
  'run.cancelled': ['reason', 'cancelledBy', 'parentRunId', 'durationMs'],
  'run.paused': ['reason', 'drainPolicy', 'interruptedNodeId', 'interruptedAttempt'],
  'run.resuming': ['fromStatus'],
  'node.started': ['nodeId', 'typeId', 'attempt'],
  'node.completed': ['nodeId', 'outputs', 'durationMs'],
  'node.failed': ['nodeId', 'error', 'attempts'],
  'node.suspended': ['nodeId', 'interruptId', 'kind', 'reason', 'key'],
  'node.suspend-failed': ['nodeId', 'error'],
  'node.resumed': ['nodeId', 'interruptId', 'resumeValue'],
  'node.retried': ['nodeId', 'attempt', 'delayMs', 'lastError'],
  'node.skipped': ['nodeId', 'reason'],
  'node.cancelled': ['nodeId', 'reason'],
  'interrupt.requested': ['kind', 'key', 'data', 'resumeSchema', 'timeoutMs'],
  'interrupt.resolved': [
    'nodeId',
    'interruptId',
    'kind',
    'reason',
    'resumeValue',
    'resolvedBy',
    'decision',
    'action',
    'refineFeedback',
    'editedArtifactData',
  ],
  'artifact.created': [
    'artifactId',
    'artifactType',
    'nodeId',
    'version',
    'summary',
    'registered',
    'registrationSource',
  ],
  'variable.changed': ['name', 'previous', 'next', 'nodeId'],
  'log.appended': ['level', 'message', 'nodeId', 'fields'],
  'cap.breached': ['kind', 'limit', 'observed', 'nodeId'],
  'replay.diverged': ['sourceRunId', 'atSequence', 'originalEventId', 'divergenceKind', 'divergencePoint'],
  'memory.written': ['memoryRef', 'memoryId', 'nodeId', 'agentId', 'tags'],
  'memory.compacted': ['memoryRef', 'outputId', 'sourceIds', 'sourceCount', 'trigger', 'byteSize', 'distillation'],
  'agent.memory.consolidated': ['memoryRef', 'inputCount', 'outputCount', 'mergedIds', 'trigger'],
  'commitment.fired': ['commitmentId', 'memoryRef', 'memoryId', 'condition', 'enqueuedRunId'],
}

/** The events about an approval have the payloads of the interrupt events. */
const likeInterrupt: Readonly<Record<string, string>> = {
  'approval.received': 'interrupt.resolved',
  'approval.granted': 'interrupt.resolved',
  'approval.rejected': 'interrupt.resolved',
  'approval.overridden': 'interrupt.resolved',
  'clarification.resolved': 'interrupt.resolved',
}

/** The payload of a stored event in version 2. Members that it has no place for are kept with the prefix `x-`, never dropped. */
export function toShownPayload(tenantId: string, event: RunEvent): Values {
  if (event.type === 'approval.requested') return toApprovalRequest(event)
  const payload = bindIds(tenantId, rename(tenantId, event))
  const allowed = members[likeInterrupt[event.type] ?? event.type]
  if (allowed === undefined) return payload
  return Object.fromEntries(
    Object.entries(payload).map(([name, value]) => {
      const isKept = allowed.includes(name) || /^(openwop-|x-|vendor\.)/.test(name)
      return [isKept ? name : `x-${toKebab(name)}`, value]
    }),
  )
}

function rename(tenantId: string, { type, nodeId, payload }: RunEvent): Payload {
  switch (type) {
    case 'run.started': {
      const { owner, engineVersion, ...rest } = payload as { owner?: { principal?: string }; engineVersion?: unknown }
      return {
        ...rest,
        ...(owner === undefined ? {} : { owner: ownerOf(tenantId, owner.principal ?? '') }),
        ...(engineVersion === undefined ? {} : { engineVersion: Number.parseInt(String(engineVersion), 10) || 0 }),
      }
    }
    case 'run.completed':
      return { outputs: {}, ...payload }
    case 'run.failed':
    case 'node.failed':
    case 'node.suspend-failed':
      return { ...payload, error: toEventError(payload.error as RunError) }
    case 'node.started':
      // The first attempt is 0 in version 2 and 1 in the log.
      return typeof payload.attempt === 'number' ? { ...payload, attempt: Math.max(payload.attempt - 1, 0) } : payload
    case 'log.appended': {
      const { by, fields, ...rest } = payload
      return by === undefined ? payload : { ...rest, fields: { ...(fields as Values | undefined), by } }
    }
    case 'interrupt.requested':
      return { ...payload, data: toRequestData(payload.data as Values) }
    case 'interrupt.resolved':
      return withDecision(tenantId, payload)
    case 'approval.received':
    case 'approval.granted':
    case 'approval.rejected':
    case 'approval.overridden': {
      const { decidedBy, ...rest } = payload
      const by = decidedBy === undefined ? {} : { resolvedBy: decidedBy }
      return withDecision(tenantId, { interruptId: `int.${nodeId}`, kind: 'approval', ...rest, ...by })
    }
    default:
      return payload
  }
}

function toEventError(error: RunError): Values {
  const shown = toShownError(error)
  return shown.code === 'approval_rejected' ? { ...shown, retryable: false } : shown
}

const decisionOf: Readonly<Record<string, string>> = {
  accept: 'granted',
  'edit-accept': 'granted',
  reject: 'rejected',
  timeout: 'rejected',
}

function withDecision(tenantId: string, { resolvedBy, ...rest }: Values): Payload {
  const decision = decisionOf[String(rest.action)]
  return {
    ...rest,
    ...(typeof resolvedBy === 'string' ? { resolvedBy: subjectOf(tenantId, resolvedBy) } : {}),
    ...(decision === undefined ? {} : { decision }),
  }
}

/** Before the node is executed a number can be a template, which is a text. */
function toRequestData(data: Values): Values {
  const { requiredApprovals, ...rest } = data
  return Number.isSafeInteger(requiredApprovals) ? data : rest
}

/** The log has the actions of version 1 for people to read; the request of the interrupt has those of the protocol. */
function toApprovalRequest({ nodeId, payload }: RunEvent): Values {
  const { nodeId: _node, interruptId: _interrupt, actions = [], ...data } = payload
  const names = (actions as readonly string[]).map((action) => (action === 'edit' ? 'edit-accept' : action))
  return { kind: 'approval', key: nodeId ?? String(payload.nodeId), data: toRequestData({ ...data, actions: names }) }
}

const runIdMembers: ReadonlySet<string> = new Set([
  'runId',
  'parentRunId',
  'childRunId',
  'sourceRunId',
  'enqueuedRunId',
  'fromRunId',
  'toRunId',
])

/** Ids of runs and interrupts name their tenant. Values of workflows are not touched, except the ids of child runs. */
function bindIds(tenantId: string, payload: Values): Payload {
  const bound = (name: string, value: unknown): unknown => {
    if (name === 'interruptId' && typeof value === 'string') return toInterruptId(tenantId, value)
    if (runIdMembers.has(name) && typeof value === 'string') return toBoundId(tenantId, value)
    if (name === 'childRunIds' && Array.isArray(value)) return value.map((id) => toBoundId(tenantId, String(id)))
    if (name === 'outputs' && typeof value === 'object' && value !== null) return bindChild(tenantId, value as Values)
    return value
  }
  return Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, bound(name, value)]))
}

function bindChild(tenantId: string, outputs: Values): Values {
  const { childRunId } = outputs
  return typeof childRunId === 'string' && /^run_[0-9a-f-]{8,64}$/.test(childRunId)
    ? { ...outputs, childRunId: toBoundId(tenantId, childRunId) }
    : outputs
}

function toBoundId(tenantId: string, id: string): string {
  return id.includes('/') ? id : bindId(tenantId, id)
}

/** The id of an interrupt is that of its node, which can be too short. A fork has the ids of its source. */
function toInterruptId(tenantId: string, interruptId: string): string {
  return bindId(tenantId, `int-${sha256(interruptId).slice(0, 32)}`)
}

function toKebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
