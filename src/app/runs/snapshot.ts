import { toInstant } from '../../core/check.ts'
import { engineVersion, eventLogSchemaVersion } from '../../core/run/event-doc.ts'
import { isEnded, type NodeState, type Run } from '../../core/run/run.ts'
import type { Tenant } from '../tenant.ts'
import { interruptToken } from './interrupts.ts'

/** A run as OpenWOP shows it. Inputs are not in it: what of them matters is in the variables. */
export async function toRunView(
  tenant: Tenant,
  run: Run,
  options: { readonly withTokens: boolean },
): Promise<Record<string, unknown>> {
  const { facts, text, status } = run
  const current = currentNode(run)
  const error = text.error === null ? {} : { error: text.error }
  const interrupt = current === undefined ? undefined : await interruptView(tenant, run, current, options)
  return {
    runId: run.runId,
    workflowId: run.workflowId,
    status,
    owner: { tenant: tenant.id, principal: facts.actor },
    workflowVersion: run.workflowVersion,
    snapshot: { position: run.snapshot.position, at: toInstant(run.snapshot.at) },
    ...(current === undefined ? {} : { currentNodeId: current }),
    ...(facts.startedAt === null ? {} : { startedAt: toInstant(facts.startedAt) }),
    ...(run.endedAt === null ? {} : { completedAt: toInstant(run.endedAt) }),
    nodeStates: Object.fromEntries(Object.entries(facts.nodes).map(([id, state]) => [id, toNodeView(state)])),
    variables: text.variables,
    ...error,
    engineVersion: String(engineVersion),
    eventLogSchemaVersion,
    tags: text.tags,
    metadata: text.metadata,
    configurable: text.configurable,
    ...(facts.fork === null ? {} : { fork: facts.fork }),
    ...(facts.parent === null ? {} : { parentRunId: facts.parent.runId }),
    ...(interrupt === undefined ? {} : { interrupt }),
  }
}

/** The node the run stands at: the first that is under way or waits. */
function currentNode(run: Run): string | undefined {
  if (isEnded(run.status)) return undefined
  const nodes = Object.entries(run.facts.nodes)
  const asking = nodes.find(([id, { status }]) => status === 'waiting' && run.text.interrupts[id]?.resolution === null)
  return (asking ?? nodes.find(([, { status }]) => status === 'running' || status === 'waiting'))?.[0]
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

async function interruptView(
  tenant: Tenant,
  run: Run,
  nodeId: string,
  { withTokens }: { readonly withTokens: boolean },
) {
  const interrupt = run.text.interrupts[nodeId]
  if (!interrupt || interrupt.resolution !== null) return undefined
  // Whoever holds the token may answer, so only who may answer anyway is given it.
  const token = withTokens ? await interruptToken(tenant, run, nodeId) : null
  return {
    nodeId,
    interruptId: interrupt.interruptId,
    ...interrupt.request,
    ...(token === null ? {} : { interruptToken: token, callbackUrl: `/v1/interrupts/${token}` }),
  }
}
