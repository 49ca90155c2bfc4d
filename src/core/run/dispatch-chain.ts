import { invariant } from '../invariant.ts'
import type { WorkflowNode } from '../workflow/definition.ts'
import { isJsonObject } from '../workflow/json-values.ts'
import type { Run, RunError, RunStatus } from './run.ts'
import type { RunProgress } from './run-progress.ts'

/** The chain of events of one child run: each names the one before as its cause, the first one the decision. */
export type ChainPhase =
  | 'dispatch.began'
  | 'dispatch.succeeded'
  | 'dispatch.failed'
  | 'child.completed'
  | 'child.failed'
  | 'child.cancelled'
  | 'output.harvested'

type ChainParts = {
  readonly workerId: string
  readonly childRunId?: string
  readonly harvestedKeys?: readonly string[]
  readonly error?: RunError
}

/** Adds the next event of a chain. */
export function emitChain(progress: RunProgress, nodeId: string, phase: ChainPhase, parts: ChainParts): void {
  const { childRunId, error, ...text } = parts
  const state = progress.node(nodeId)
  invariant(state !== undefined, 'a chain belongs to a node that was started')
  const cause = phase === 'dispatch.began' ? progress.facts.orchestrator?.decidedAt : state.chain
  const child = childRunId === undefined ? {} : { childRunId }
  const chain = progress.emit('core.workflowChain.event', {
    nodeId,
    facts: { phase, parentRunId: progress.base.runId, ...child },
    text: { ...text, ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }) },
    ...(cause === undefined ? {} : { cause }),
  })
  progress.setNode(nodeId, { ...state, chain })
}

const phaseOfEnd: Readonly<Partial<Record<RunStatus, ChainPhase>>> = {
  completed: 'child.completed',
  cancelled: 'child.cancelled',
}

/** Adds the end of a child run to the chain of its parent. */
export function emitChildEnd(progress: RunProgress, nodeId: string, child: Run): void {
  const { runId: childRunId, workflowId: workerId, status, text } = child
  const error = status === 'failed' && text.error !== null ? { error: text.error } : {}
  emitChain(progress, nodeId, phaseOfEnd[status] ?? 'child.failed', { workerId, childRunId, ...error })
}

/** Whether the node takes over variables of the child. */
export function isHarvested(node: WorkflowNode, { status, workflowId }: Run): boolean {
  return status === 'completed' && Object.keys(outputMappingOf(node, workflowId)).length > 0
}

/** Adds that the variables of a child were taken over. */
export function emitHarvest(progress: RunProgress, node: WorkflowNode, child: Run): void {
  const harvestedKeys = Object.keys(harvestOf(node, child))
  emitChain(progress, node.id, 'output.harvested', {
    workerId: child.workflowId,
    childRunId: child.runId,
    harvestedKeys,
  })
}

/** The variables that a completed child gives to its parent. A variable that the child does not have is left out. */
export function harvestOf(node: WorkflowNode, child: Run): Record<string, unknown> {
  if (child.status !== 'completed') return {}
  const { variables } = child.text
  const taken = Object.entries(outputMappingOf(node, child.workflowId)).filter(([, source]) =>
    Object.hasOwn(variables, source),
  )
  return Object.fromEntries(taken.map(([name, source]) => [name, variables[source]]))
}

/** The inputs of a child, from the variables of its parent. A variable that the parent does not have is left out. */
export function inputsFor(
  { config }: WorkflowNode,
  workerId: string,
  variables: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const mapping = mappingFor(workerId, config.perWorkerInputMappings, config.inputMapping)
  const given = Object.entries(mapping).filter(([, source]) => Object.hasOwn(variables, source))
  return Object.fromEntries(given.map(([name, source]) => [name, variables[source]]))
}

function outputMappingOf({ config }: WorkflowNode, workerId: string): Readonly<Record<string, string>> {
  return mappingFor(workerId, config.perWorkerOutputMappings, config.outputMapping)
}

/** The mapping for one worker, or the one for all. */
function mappingFor(workerId: string, perWorker: unknown, forAll: unknown): Readonly<Record<string, string>> {
  const own = isJsonObject(perWorker) && Object.hasOwn(perWorker, workerId) ? perWorker[workerId] : forAll
  return isJsonObject(own) ? (own as Readonly<Record<string, string>>) : {}
}
