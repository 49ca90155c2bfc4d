import { checkCount, toInstant } from '../check.ts'
import type { NewEntry } from '../commit/batch.ts'
import { sourceTag } from '../entries/tags.ts'
import type { NodeStatus } from '../workflow/plan.ts'
import { type InterruptRequest, waitingStatusOf } from './interrupt.ts'
import type { Progress } from './progress.ts'
import type { RunError } from './run.ts'

/** What happens to a run and its nodes, each with the event that tells it. Two runs of the same facts tell the same. */

export function beginRun(progress: Progress, tenantId: string, now: number): void {
  progress.set({ status: 'running', facts: { startedAt: now } })
  progress.emit('run.started', {
    facts: {
      workflowId: progress.base.workflowId,
      transport: 'rest',
      owner: { tenant: tenantId, principal: progress.facts.actor },
    },
  })
}

export function beginNode(progress: Progress, nodeId: string, typeId: string, now: number): void {
  const tried = progress.facts.tried?.[nodeId]
  const attempt = (tried?.attempt ?? 0) + 1
  progress.setNode(nodeId, { status: 'running', attempt, calls: tried?.calls ?? 0, startedAt: now })
  progress.set({ facts: { nodeExecutions: progress.facts.nodeExecutions + 1 } })
  progress.emit('node.started', { nodeId, facts: { nodeId, typeId, attempt } })
}

export function skipNode(progress: Progress, nodeId: string, reason: string, now: number): void {
  progress.setNode(nodeId, { status: 'skipped', attempt: 0, calls: 0, startedAt: now, endedAt: now })
  progress.emit('node.skipped', { nodeId, facts: { nodeId, reason } })
}

export type NodeValues = {
  readonly outputs?: Readonly<Record<string, unknown>>
  readonly variables?: Readonly<Record<string, unknown>>
  /** Outputs that may be told in the event, because they hold no content. */
  readonly told?: Readonly<Record<string, unknown>>
}

export function completeNode(progress: Progress, nodeId: string, values: NodeValues, now: number): void {
  endNode(progress, nodeId, 'completed', now)
  keepValues(progress, nodeId, values)
  progress.emit('node.completed', {
    nodeId,
    facts: { nodeId },
    ...(values.told ? { text: { outputs: values.told } } : {}),
  })
}

/** What a node leaves behind: its outputs by its name, and the variables it sets. */
export function keepValues(progress: Progress, nodeId: string, { outputs = {}, variables = {} }: NodeValues): void {
  const { text } = progress
  progress.set({
    text: {
      outputs: Object.keys(outputs).length > 0 ? { ...text.outputs, [nodeId]: outputs } : text.outputs,
      variables: { ...text.variables, ...variables },
    },
  })
}

export function failNode(progress: Progress, nodeId: string, error: RunError, now: number): void {
  endNode(progress, nodeId, 'failed', now)
  const attempts = progress.node(nodeId)?.attempt ?? 1
  progress.emit('node.failed', { nodeId, facts: { nodeId, attempts }, text: { error } })
}

function endNode(progress: Progress, nodeId: string, status: NodeStatus, now: number): void {
  const state = progress.node(nodeId)
  if (!state) return
  const { wakeAt: _over, ...rest } = state
  progress.setNode(nodeId, { ...rest, status, endedAt: now })
}

/** The interrupt's id comes from the node, not from chance: a replay asks the same. */
export function suspendNode(
  progress: Progress,
  nodeId: string,
  { request, told }: { readonly request: InterruptRequest; readonly told: InterruptRequest },
  now: number,
): void {
  const interruptId = `int.${nodeId}`
  const { kind, timeoutMs } = request
  if (timeoutMs !== undefined) checkCount('timeoutMs', timeoutMs, 0)
  const deadline = timeoutMs === undefined || timeoutMs === 0 ? null : now + timeoutMs
  const interrupt = { interruptId, request, askedAt: now, deadline, resolution: null }
  progress.set({ text: { interrupts: { ...progress.text.interrupts, [nodeId]: interrupt } } })
  const state = progress.node(nodeId)
  if (state) progress.setNode(nodeId, { ...state, status: 'waiting' })
  progress.emit('node.suspended', { nodeId, facts: { nodeId, interruptId, kind }, text: { key: told.key } })
  progress.emit('interrupt.requested', { nodeId, facts: {}, text: { ...told } })
  if (kind === 'approval') emitApproval(progress, nodeId, interruptId, told)
}

function emitApproval(progress: Progress, nodeId: string, interruptId: string, { data }: InterruptRequest): void {
  const { artifactId, artifactType, actions, title, approversList, requiredApprovals } = data
  const shown = (actions as readonly string[]).map((action) => (action === 'edit-accept' ? 'edit' : action))
  progress.emit('approval.requested', {
    nodeId,
    facts: {
      nodeId,
      interruptId,
      actions: shown,
      ...(typeof requiredApprovals === 'number' ? { requiredApprovals } : {}),
    },
    text: { artifactId, artifactType, title, ...(Array.isArray(approversList) ? { approversList } : {}) },
  })
}

/** What the run is waiting on, in the order of its workflow; `running` when it is only time. */
export function waitingStatus(progress: Progress): Progress['status'] {
  for (const [nodeId, state] of Object.entries(progress.facts.nodes)) {
    const interrupt = progress.text.interrupts[nodeId]
    if (state.status === 'waiting' && interrupt && interrupt.resolution === null)
      return waitingStatusOf(interrupt.request.kind)
  }
  return 'running'
}

export type RunEnd =
  | { readonly status: 'completed' }
  | { readonly status: 'failed'; readonly error: RunError; readonly failedNodeId?: string }
  | {
      readonly status: 'cancelled'
      readonly reason?: string | undefined
      readonly parentRunId?: string
      readonly by?: string
    }

/** The last event, always the last: whatever else belongs to the run was told before it. */
export function endRun(progress: Progress, end: RunEnd, now: number): void {
  stopNodes(progress, now)
  progress.set({
    status: end.status,
    facts: { pause: null },
    text: { ephemeral: {}, error: end.status === 'failed' ? end.error : null },
  })
  if (end.status === 'completed') progress.emit('run.completed', { facts: { outputs: {} } })
  else if (end.status === 'failed') {
    const failedNode = end.failedNodeId === undefined ? {} : { failedNodeId: end.failedNodeId }
    progress.emit('run.failed', { facts: failedNode, text: { error: end.error } })
  } else {
    const parent = end.parentRunId === undefined ? {} : { parentRunId: end.parentRunId }
    const reason = end.reason === undefined ? {} : { reason: end.reason }
    const by = end.by === undefined ? {} : { cancelledBy: end.by }
    progress.emit('run.cancelled', { facts: { ...parent, ...by }, text: reason })
  }
}

/** What is under way when a run ends will not end by itself. */
export function stopNodes(progress: Progress, now: number): void {
  for (const [nodeId, { status }] of Object.entries(progress.facts.nodes)) {
    if (status === 'running' || status === 'waiting') endNode(progress, nodeId, 'cancelled', now)
  }
}

/** Remembers that the run was: identifiers and counts, nothing that was said in it. */
export function summarise(
  progress: Progress,
  status: RunEnd['status'],
  ids: { readonly entryId: string; readonly salt: string },
  now: number,
): void {
  const { runId, workflowId, workflowVersion } = progress.base
  const sequence = progress.nextSequence
  const origin = { kind: 'session', runId, sequence } as const
  const nodes = Object.values(progress.facts.nodes)
  const count = (wanted: NodeStatus) => nodes.filter((node) => node.status === wanted).length
  const { memoryCalls, memoryWrites, startedAt } = progress.facts
  const content = [
    `Run ${runId} of workflow ${workflowId} (version ${workflowVersion}): ${status}.`,
    `Nodes completed: ${count('completed')}, failed: ${count('failed')}, skipped: ${count('skipped')}.`,
    `Memory calls: ${memoryCalls}, of them writes: ${memoryWrites}.`,
    `Started ${toInstant(startedAt ?? now)}, ended ${toInstant(now)}.`,
  ].join(' ')
  const tags = [sourceTag(origin), 'run-summary', `run-id:${runId}`]
  const memoryRef = `runs:${workflowId}`
  const summary: NewEntry = { memoryRef, content, tags, expiresAt: null, subject: null, origin, ...ids }
  progress.puts.push(summary)
  progress.emit('memory.written', { facts: { memoryRef, memoryId: ids.entryId }, text: { tags } })
}
