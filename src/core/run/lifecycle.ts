import { checkCount, toInstant } from '../check.ts'
import type { NewEntry } from '../commit/batch.ts'
import { commonReaders } from '../entries/access.ts'
import { sourceTag } from '../entries/tags.ts'
import { invariant } from '../invariant.ts'
import type { NodeStatus } from '../workflow/next-action.ts'
import { channelsAfterEnd } from './channel.ts'
import { type InterruptRequest, waitingStatusOf } from './interrupt.ts'
import { callsBefore, turnOf } from './orchestration.ts'
import { isEnded, type NodeState, type RunError } from './run.ts'
import type { RunProgress } from './run-progress.ts'

/** The transitions of a run and its nodes, each with its event. The same facts give the same events, so that a run can be replayed. */

/** Starts a run: `run.started`. */
export function beginRun(progress: RunProgress, tenantId: string, now: number): void {
  invariant(progress.facts.startedAt === null, 'a run is started once')
  progress.set({ status: 'running', facts: { startedAt: now } })
  progress.emit('run.started', {
    facts: {
      workflowId: progress.base.workflowId,
      transport: 'rest',
      owner: { tenant: tenantId, principal: progress.facts.actor },
    },
  })
}

/** Starts a node: `node.started`. */
export function beginNode(progress: RunProgress, nodeId: string, typeId: string, now: number): void {
  invariant(progress.node(nodeId) === undefined, 'a node is not started twice')
  const tried = progress.facts.tried?.[nodeId]
  const attempt = (tried?.attempt ?? 0) + 1
  progress.setNode(nodeId, { status: 'running', attempt, ...recordedBefore(progress, nodeId), startedAt: now })
  progress.set({ facts: { nodeExecutions: progress.facts.nodeExecutions + 1 } })
  progress.emit('node.started', { nodeId, facts: { nodeId, typeId, attempt } })
}

/** What a node that starts again has recorded already: before a pause, or in earlier turns. */
export function recordedBefore(progress: RunProgress, nodeId: string): Pick<NodeState, 'calls' | 'emitted'> {
  const tried = progress.facts.tried?.[nodeId]
  const calls = tried?.calls ?? callsBefore(progress, nodeId)
  return { calls, ...(tried?.emitted === undefined ? {} : { emitted: tried.emitted }) }
}

/** Skips a node: `node.skipped`. */
export function skipNode(progress: RunProgress, nodeId: string, reason: string, now: number): void {
  invariant(progress.node(nodeId) === undefined, 'a node that was started is not skipped')
  progress.setNode(nodeId, { status: 'skipped', attempt: 0, calls: 0, startedAt: now, endedAt: now })
  progress.emit('node.skipped', { nodeId, facts: { nodeId, reason } })
}

/** The values that a node leaves in its run. */
export type NodeValues = {
  readonly outputs?: Readonly<Record<string, unknown>>
  readonly variables?: Readonly<Record<string, unknown>>
  /** Outputs that the event shows, because they contain no content of memory. */
  readonly eventOutputs?: Readonly<Record<string, unknown>>
}

/** Completes a node with its values: `node.completed`. A node that sanitises says so, if there was something to sanitise. */
export function completeNode(
  progress: RunProgress,
  nodeId: string,
  values: NodeValues,
  now: number,
  sanitises = false,
): void {
  endNode(progress, nodeId, 'completed', now)
  setNodeValues(progress, nodeId, values)
  const isSanitised = sanitises && progress.facts.isTainted === true
  if (isSanitised) progress.clearTaint()
  progress.emit('node.completed', {
    nodeId,
    facts: { nodeId, ...(isSanitised ? { sanitised: true } : {}) },
    ...(values.eventOutputs ? { text: { outputs: values.eventOutputs } } : {}),
  })
}

/** Stores the outputs of a node under its id, and the variables it sets. */
export function setNodeValues(
  progress: RunProgress,
  nodeId: string,
  { outputs = {}, variables = {} }: NodeValues,
): void {
  const { text } = progress
  progress.set({
    text: {
      outputs: Object.keys(outputs).length > 0 ? { ...text.outputs, [nodeId]: outputs } : text.outputs,
      variables: { ...text.variables, ...variables },
    },
  })
}

/** Fails a node: `node.failed`. */
export function failNode(progress: RunProgress, nodeId: string, error: RunError, now: number): void {
  endNode(progress, nodeId, 'failed', now)
  const attempts = progress.node(nodeId)?.attempt ?? 1
  progress.emit('node.failed', { nodeId, facts: { nodeId, attempts }, text: { error } })
}

function endNode(progress: RunProgress, nodeId: string, status: NodeStatus, now: number): void {
  const state = progress.node(nodeId)
  if (!state) return
  const { wakeAt: _past, ...rest } = state
  progress.setNode(nodeId, { ...rest, status, endedAt: now })
}

type Suspension = {
  readonly request: InterruptRequest
  readonly eventRequest: InterruptRequest
  /** Further members of `node.suspended`, made by the host. */
  readonly suspended?: Readonly<Record<string, unknown>>
}

/**
 * Suspends a node until its interrupt is resolved: `node.suspended`, `interrupt.requested`. `eventRequest` is the request as events show it,
 * with sensitive values masked. The interrupt id is made from the node id and its turn, so that a replay has the same id.
 */
export function suspendNode(
  progress: RunProgress,
  nodeId: string,
  { request, eventRequest, suspended = {} }: Suspension,
  now: number,
): void {
  const turn = turnOf(progress, nodeId)
  const interruptId = turn === 1 ? `int.${nodeId}` : `int.${nodeId}.${turn}`
  const { kind, timeoutMs } = request
  if (timeoutMs !== undefined) checkCount('timeoutMs', timeoutMs, 0)
  const deadline = timeoutMs === undefined || timeoutMs === 0 ? null : now + timeoutMs
  const interrupt = { interruptId, request, askedAt: now, deadline, resolution: null }
  progress.set({ text: { interrupts: { ...progress.text.interrupts, [nodeId]: interrupt } } })
  const state = progress.node(nodeId)
  // A node that waited is executed again before its status changes.
  const isActive = state?.status === 'running' || state?.status === 'waiting'
  invariant(isActive, 'only a running or waiting node is suspended')
  progress.setNode(nodeId, { ...state, status: 'waiting' })
  const facts = { nodeId, interruptId, kind, ...suspended }
  progress.emit('node.suspended', { nodeId, facts, text: { key: eventRequest.key } })
  progress.emit('interrupt.requested', { nodeId, facts: {}, text: { ...eventRequest } })
  if (kind === 'approval') emitApproval(progress, nodeId, interruptId, eventRequest)
}

function emitApproval(progress: RunProgress, nodeId: string, interruptId: string, { data }: InterruptRequest): void {
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

/** The status of a run that waits: that of its first open interrupt, in the order of its nodes; `running` when it waits for a time. */
export function runWaitingStatus(progress: RunProgress): RunProgress['status'] {
  for (const [nodeId, state] of Object.entries(progress.facts.nodes)) {
    const interrupt = progress.text.interrupts[nodeId]
    if (state.status === 'waiting' && interrupt && interrupt.resolution === null)
      return waitingStatusOf(interrupt.request.kind)
  }
  return 'running'
}

/** How a run ends. */
export type RunEnd =
  | { readonly status: 'completed' }
  | { readonly status: 'failed'; readonly error: RunError; readonly failedNodeId?: string }
  | {
      readonly status: 'cancelled'
      readonly reason?: string | undefined
      readonly parentRunId?: string
      readonly by?: string
    }

/** Ends a run: `run.completed`, `run.failed` or `run.cancelled`. It is always the last event of a run. */
export function endRun(progress: RunProgress, end: RunEnd, now: number): void {
  invariant(!isEnded(progress.status), 'a run ends once')
  cancelNodes(progress, now)
  progress.set({
    status: end.status,
    facts: { pause: null },
    text: { ephemeral: {}, error: end.status === 'failed' ? end.error : null, ...channelsAfterEnd(progress) },
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

/** Cancels the nodes that are running or waiting when the run ends. */
export function cancelNodes(progress: RunProgress, now: number): void {
  for (const [nodeId, { status }] of Object.entries(progress.facts.nodes)) {
    if (status === 'running' || status === 'waiting') endNode(progress, nodeId, 'cancelled', now)
  }
}

/** Adds the entry that summarises the run, under `runs:`. It has identifiers and counts, no content. */
export function addRunSummary(
  progress: RunProgress,
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
  const { reader, readers = null } = progress.facts
  // Others than its reader do not see the run.
  const seenBy = commonReaders([readers, reader === undefined ? null : [reader]])
  const restricted = seenBy === null ? {} : { readers: seenBy }
  const summary: NewEntry = {
    memoryRef,
    content,
    tags,
    expiresAt: null,
    subject: null,
    origin,
    trust: progress.writeTrust,
    ...restricted,
    ...ids,
  }
  progress.puts.push(summary)
  progress.emit('memory.written', { facts: { memoryRef, memoryId: ids.entryId }, text: { tags } })
}
