import { restoreContent } from '../../core/run/channel.ts'
import { openConversation } from '../../core/run/conversation.ts'
import { isEphemeralRef } from '../../core/run/ephemeral.ts'
import { completeNode, type NodeValues, suspendNode } from '../../core/run/lifecycle.ts'
import { maskingModeOf, maskMembers } from '../../core/run/mask.ts'
import { beginNextTurn, callsBefore, recordDecision, turnOf } from '../../core/run/orchestration.ts'
import type { NodeState, Run, RunError } from '../../core/run/run.ts'
import { RunProgress } from '../../core/run/run-progress.ts'
import { sanitises, type WorkflowNode } from '../../core/workflow/definition.ts'
import { refuseErased } from '../../core/workflow/erased-value.ts'
import { dispatchTypeId, loopOf } from '../../core/workflow/loop.ts'
import { resolveInputs, resolveTemplates } from '../../core/workflow/template.ts'
import { withSpan } from '../../telemetry/span.ts'
import { answerConversation, closeIfTimedOut, writeMessages } from './answer-conversation.ts'
import { startChild, writesOfChild } from './children.ts'
import { escalate, settleWorker, startWorker } from './dispatch-workers.ts'
import { dispatchedAgent, installedAgent } from './dispatched-agent.ts'
import { NodeEvents } from './node-events.ts'
import { failure, isAbort, toRunError, undoIfTooLarge } from './node-failure.ts'
import { NodeModel } from './node-model.ts'
import type { HostNodeRequest, NodeResult, NodeType } from './node-type.ts'
import { allCalls, callsOfNode, ReplaySourceMissing } from './recorded-run.ts'
import { rejectOverdueApproval } from './resolve-interrupt.ts'
import { RunEffects } from './run-effects.ts'
import type { RunExecution } from './run-execution.ts'
import { tracedMemory } from './traced-memory.ts'
import { maskDigest } from './workflow-registry.ts'

/** Executes a node that was started, or resumes it. Returns its failure; all other results are applied to the progress. */
export async function executeNode(execution: RunExecution, nodeId: string): Promise<RunError | null> {
  const node = execution.definition.nodes.find(({ id }) => id === nodeId)
  const type = node && execution.tenant.host.nodes.get(node.typeId)
  const lost = node ? await settleWorker(execution, node) : null
  if (lost) return lost
  closeIfTimedOut(execution.progress, nodeId, execution.tenant.now())
  const state = execution.progress.node(nodeId)
  if (!node || !type || !state)
    return failure('internal_error', 'The node cannot be executed: its type or its state is missing.')
  const missing = type.requires?.find((capability) => !execution.tenant.host.runtimeCapabilities.includes(capability))
  if (missing !== undefined) {
    const message = `The node needs the runtime capability ${missing}, which this host does not have.`
    return { code: 'capability_not_provided', message, details: { capability: missing } }
  }
  if (execution.source === null) rejectOverdueApproval(execution.progress, nodeId, execution.tenant.now())
  try {
    return await withSpan('node', { type: type.typeId }, async (note) => {
      const failed = await applyResult(execution, node, await callNodeType(execution, node, type, state))
      if (failed === null && execution.commitsEachNode) await execution.commitStep()
      // Without the error code: workflows choose codes, and a label must have a bounded set of values.
      if (failed !== null) note({ outcome: 'failed' })
      return failed
    })
  } catch (error) {
    if (isAbort(execution, error)) throw error
    const failed = toRunError(error)
    // Drops everything since the last commit, so that the failure can be committed.
    if (execution.commitsEachNode) execution.progress = new RunProgress(execution.progress.base)
    return failed
  }
}

async function callNodeType(
  execution: RunExecution,
  node: WorkflowNode,
  type: NodeType,
  state: NodeState,
): Promise<NodeResult> {
  const { tenant, progress } = execution
  const { values: scope, text } = progress
  const now = tenant.now()
  const isRecorded = execution.source !== null
  const interrupt = text.interrupts[node.id]
  // A type that does not declare its replay role could have effects.
  if (isRecorded && type.replay === undefined) throw new ReplaySourceMissing()
  const ownCalls = () => allCalls(tenant, progress.base.runId)
  const earlier = callsBefore(progress, node.id)
  const recorded = execution.source?.calls ?? (state.calls === earlier ? [] : await ownCalls())
  const calls = callsOfNode(recorded, node.id).slice(earlier)
  const agent = { nodeId: node.id, agentId: node.agent?.agentId ?? null }
  const config = fillConfig(node, type, scope)
  const inputs = resolveInputs(node, scope)
  if (type.acceptsErased !== true) refuseErased([config, inputs])
  const events = new NodeEvents(execution, node.id)
  const request: HostNodeRequest = {
    tenant,
    events,
    model: new NodeModel(execution, node.id, events),
    agent: () => dispatchedAgent(execution, node.agent?.agentId ?? ''),
    installedAgent: () => installedAgent(execution, node),
    tenantId: tenant.id,
    runId: progress.base.runId,
    node,
    config,
    inputs,
    scope,
    state,
    now,
    isReplay: isRecorded,
    signal: execution.signal,
    memory: tracedMemory(new RunEffects(execution, agent, calls)),
    resolution: interrupt?.resolution ?? null,
    isTimedOut:
      !isRecorded && interrupt?.resolution === null && interrupt.deadline !== null && interrupt.deadline <= now,
    child: state.childRunId === undefined ? null : await tenant.storage.runs.get(tenant.id, state.childRunId),
    turn: turnOf(progress, node.id),
    decision: text.decision ?? null,
    outcome: () => scope.outputs[loopOf(execution.definition)?.dispatchId ?? ''] ?? null,
    configurable: text.configurable,
  }
  return type.execute(request)
}

/** Executes a node that completed in the source run again, on its recorded calls: for its values and its child run. */
export async function replayNode(
  execution: RunExecution,
  nodeId: string,
): Promise<{ values: NodeValues; child: Run | null }> {
  const node = execution.definition.nodes.find(({ id }) => id === nodeId)
  const type = node && execution.tenant.host.nodes.get(node.typeId)
  const state = execution.progress.node(nodeId)
  const recorded = execution.source?.run.facts.nodes[nodeId]
  if (!node || !type || !state) throw new ReplaySourceMissing()
  // The chain of events has named the children of a dispatch node; the state of the source knows only the last one.
  const { childRunId } = node.typeId === dispatchTypeId ? {} : (recorded ?? {})
  const isWaited = childRunId !== undefined && node.config.waitForCompletion !== false
  const result = await callNodeType(execution, node, type, { ...state, ...(isWaited ? { childRunId } : {}) })
  if (result.kind === 'child' && result.child.isDetached) return { values: { outputs: { childRunId } }, child: null }
  if (result.kind === 'decided') {
    const { decision: value, shown } = result
    execution.progress.set({ text: { decision: { value, shown } } })
    return { values: result, child: null }
  }
  if (result.kind !== 'completed') throw new ReplaySourceMissing()
  for (const { channel, message } of result.messages ?? []) restoreContent(execution.progress, channel, message)
  const child =
    childRunId === undefined ? null : await execution.tenant.storage.runs.get(execution.tenant.id, childRunId)
  return { values: result, child }
}

/** For a node that failed in the source run: its writes to a scratchpad before the failure are repeated. */
export async function replayFailedNode(execution: RunExecution, nodeId: string): Promise<void> {
  const calls = callsOfNode(execution.source?.calls ?? [], nodeId)
  if (calls.some(({ memoryRef }) => isEphemeralRef(memoryRef))) await replayNode(execution, nodeId).catch(() => null)
}

function fillConfig(
  node: WorkflowNode,
  type: NodeType,
  scope: RunExecution['progress']['values'],
): Record<string, unknown> {
  const raw = type.rawConfig ?? []
  const isRaw = ([name]: [string, unknown]) => raw.includes(name)
  const members = Object.entries(node.config)
  const filled = resolveTemplates(Object.fromEntries(members.filter((member) => !isRaw(member))), scope)
  return { ...(filled as Record<string, unknown>), ...Object.fromEntries(members.filter(isRaw)) }
}

/** Applies the node's result to the run. The call may have committed a step, so the progress is read again. */
async function applyResult(execution: RunExecution, node: WorkflowNode, result: NodeResult): Promise<RunError | null> {
  const { progress, tenant } = execution
  const now = tenant.now()
  const state = progress.node(node.id)
  switch (result.kind) {
    case 'completed': {
      const childRunId = state?.childRunId
      const child = childRunId === undefined ? null : await tenant.storage.runs.get(tenant.id, childRunId)
      const { text } = progress
      if (child?.facts.isTainted) progress.noteTrust(['untrusted'])
      const { facts } = progress
      const eventsBefore = progress.events.length
      writeMessages(progress, node.id, result)
      completeNode(progress, node.id, await withMaskedOutputs(execution, node, result), now, sanitises(node))
      const tooLarge = undoIfTooLarge(progress, text, eventsBefore)
      // A node that fails has sanitised nothing.
      if (tooLarge && facts.isTainted) progress.noteTrust(['untrusted'])
      const own = tooLarge ? [] : writesOfChild(child)
      if (own.length > 0) progress.set({ facts: { own: [...progress.facts.own, ...own] } })
      // Its outputs may hold what the child has read.
      if (child !== null) progress.noteReaders([child.facts])
      if (!tooLarge) beginNextTurn(progress, execution.definition, node.id)
      return tooLarge
    }
    case 'decided': {
      recordDecision(progress, node.id, result)
      completeNode(progress, node.id, { outputs: result.outputs }, now, sanitises(node))
      return null
    }
    case 'worker':
      if (execution.source) throw new ReplaySourceMissing()
      return startWorker(execution, node, result.child)
    case 'failed':
      return result.error
    case 'sleep': {
      if (state) progress.setNode(node.id, { ...state, status: 'waiting', wakeAt: result.until })
      return null
    }
    case 'interrupt': {
      if (execution.source) throw new ReplaySourceMissing()
      const { text, events } = progress
      const eventsBefore = events.length
      if (result.escalation) escalate(progress, node.id, result.escalation)
      suspendNode(progress, node.id, result, now)
      if (result.conversation) openConversation(progress, node.id, result.request, result.conversation, now)
      for (const value of result.answers ?? []) answerConversation(progress, node.id, { value, by: null }, now)
      return undoIfTooLarge(progress, text, eventsBefore)
    }
    case 'child': {
      if (execution.source) throw new ReplaySourceMissing()
      const childRunId = await startChild(execution, node, result.child)
      const current = execution.progress.node(node.id)
      if (current) execution.progress.setNode(node.id, { ...current, status: 'waiting', childRunId })
      if (!result.child.isDetached) return null
      completeNode(execution.progress, node.id, { outputs: { childRunId } }, now)
      // The event names the child, so the child must exist even if the parent fails in the same step.
      await execution.commitStep()
      return null
    }
  }
}

/** Outputs that the workflow marks as sensitive are masked in the event. Nodes read them unmasked. */
async function withMaskedOutputs(
  execution: RunExecution,
  { outputSensitivity = {} }: WorkflowNode,
  values: NodeValues,
) {
  if (values.eventOutputs === undefined) return values
  const entries = Object.entries(values.eventOutputs)
  const isSensitive = ([name]: [string, unknown]) => outputSensitivity[name] === true
  if (!entries.some(isSensitive)) return values
  const mask = { mode: maskingModeOf(execution.definition), digest: await maskDigest(execution.tenant) }
  const masked = maskMembers(Object.fromEntries(entries.filter(isSensitive)), mask)
  return {
    ...values,
    eventOutputs: { ...Object.fromEntries(entries.filter((entry) => !isSensitive(entry))), ...masked },
  }
}
