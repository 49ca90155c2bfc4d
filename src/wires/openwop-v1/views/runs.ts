import type { z } from 'zod'
import type { RunDescription } from '../../../app/runs/describe-run.ts'
import { toInstant } from '../../../core/check.ts'
import type { Message } from '../../../core/run/channel.ts'
import type { InterruptRequest } from '../../../core/run/interrupt.ts'
import type { NodeState, RunFacts } from '../../../core/run/run.ts'
import { showErased } from '../../../core/workflow/erased-value.ts'
import type { InterruptView } from '../schemas/interrupts.ts'
import type { RunView } from '../schemas/runs.ts'
import { engineVersion, eventLogSchemaVersion } from '../versions.ts'

/** The view of a run. The inputs of a client are not included, only those that a parent run has mapped. */
export function toRunView({
  tenantId,
  run,
  currentNodeId,
  question,
  workspace,
  agent,
}: RunDescription): z.output<typeof RunView> {
  const { facts, text } = run
  return {
    runId: run.runId,
    workflowId: run.workflowId,
    status: run.status,
    owner: { tenant: tenantId, principal: facts.actor },
    workflowVersion: run.workflowVersion,
    snapshot: { position: run.snapshot.position, at: toInstant(run.snapshot.at) },
    ...(currentNodeId === null ? {} : { currentNodeId }),
    ...(agent === null ? {} : { agent }),
    ...(facts.startedAt === null ? {} : { startedAt: toInstant(facts.startedAt) }),
    ...(run.endedAt === null ? {} : { completedAt: toInstant(run.endedAt) }),
    nodeStates: Object.fromEntries(Object.entries(facts.nodes).map(([id, state]) => [id, toNodeView(state)])),
    variables: showErased(text.variables),
    ...(facts.parent === null ? {} : { inputs: showErased(text.inputs) }),
    ...(text.channels === undefined ? {} : { channels: showErased(text.channels) as Record<string, Message[]> }),
    ...toOrchestration(facts),
    ...(text.error === null ? {} : { error: text.error }),
    engineVersion: String(engineVersion),
    eventLogSchemaVersion,
    tags: text.tags,
    metadata: text.metadata,
    configurable: text.configurable,
    ...(workspace.length === 0 ? {} : { workspace: workspace.map(({ content: _content, ...file }) => file) }),
    ...(facts.fork === null ? {} : { fork: facts.fork }),
    ...(facts.parent === null ? {} : { parentRunId: facts.parent.runId }),
    ...(question === null ? {} : { interrupt: toOpenInterrupt(question) }),
  }
}

function toOrchestration({ orchestrator, dispatched = [] }: RunFacts) {
  if (orchestrator === undefined) return {}
  const { agentId, decisions } = orchestrator
  return { runOrchestrator: { agentId }, orchestration: { decisionsTaken: decisions, children: [...dispatched] } }
}

function toNodeView({ status, attempt, startedAt, endedAt, childRunId }: NodeState) {
  return {
    status,
    attempt,
    startedAt: toInstant(startedAt),
    ...(endedAt === undefined ? {} : { completedAt: toInstant(endedAt) }),
    ...(childRunId === undefined ? {} : { childRunId }),
  }
}

function toOpenInterrupt({ nodeId, interruptId, request, token }: NonNullable<RunDescription['question']>) {
  return {
    nodeId,
    interruptId,
    ...toInterruptView(request),
    ...(token === null ? {} : { interruptToken: token, callbackUrl: `/v1/interrupts/${token}` }),
  }
}

export function toInterruptView(request: InterruptRequest): z.output<typeof InterruptView> {
  const { kind, key, data, resumeSchema, timeoutMs } = request
  return {
    kind,
    key,
    data: showErased(data),
    ...(resumeSchema === undefined ? {} : { resumeSchema }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
}
