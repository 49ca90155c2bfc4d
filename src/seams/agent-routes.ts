import { z } from 'zod'
import { loadRunAgent } from '../app/agents.ts'
import { type CreateRunRequest, createRun } from '../app/runs/create-run.ts'
import { allEvents } from '../app/runs/recorded-run.ts'
import type { Tenant } from '../app/tenant.ts'
import { thresholdOf } from '../core/agents/confidence.ts'
import { toolSurface } from '../core/agents/tools.ts'
import { ColophonError } from '../core/errors.ts'
import { isEnded, type Run } from '../core/run/run.ts'
import { type App, principalOf, type RouteParts } from '../http/route-context.ts'
import { returnViolation } from './agent-fixture.ts'
import { waitFor } from './wait-for.ts'

const Dispatch = z.looseObject({
  task: z.unknown().optional(),
  availableTools: z.array(z.string()).optional(),
})

const LiveInvoke = z.looseObject({
  agentId: z.string().optional(),
  forceInvalidResult: z.boolean().default(false),
  attemptTool: z.string().min(1).max(200).optional(),
})

const defaultAgentId = 'core.conformance.memory-agent'

/**
 * Runs an agent within the request, for conformance tests: an ordinary run, whose stored events are in the answer. The
 * task is checked against the agent's schema whatever the test asks for: this host has no dispatch without that.
 */
export function agentSeams(app: App, { engine }: RouteParts): void {
  app.post(
    '/v1/host/sample/agents/:agentId/dispatch',
    {
      config: { access: 'runs:create' },
      schema: { hide: true, params: z.strictObject({ agentId: z.string() }), body: Dispatch },
    },
    async (request) => {
      const { tenantId, actor } = principalOf(request)
      const tenant = engine.tenant(tenantId)
      const { agentId } = request.params
      const { task = {}, availableTools } = request.body
      const agent = await loadRunAgent(tenant, agentId)
      const run = await settledRun(tenant, { agentId, inputs: { task } }, actor)
      const events = (await allEvents(tenant, run.runId)).filter(({ type }) => type.startsWith('agent.'))
      const decided = events.findLast(({ type }) => type === 'agent.decided')
      const surface = toolSurface(agent.toolAllowlist, agent.hasLongTerm).map(({ id }) => id)
      const { result } = run.text.variables
      return {
        agentId,
        runId: run.runId,
        status: isEnded(run.status) ? run.status : 'escalated',
        // Of the tools that the caller offers, those that the agent can call.
        toolSurface: availableTools === undefined ? surface : surface.filter((id) => availableTools.includes(id)),
        confidence: decided?.payload.confidence ?? null,
        threshold: thresholdOf(run.text.configurable, agent.threshold),
        events: events.map(({ sequence, type, payload }) => ({ sequence, type, agentId: payload.agentId, payload })),
        ...(result === undefined ? {} : { result }),
        ...(run.text.error === null ? {} : { error: run.text.error }),
      }
    },
  )

  app.post(
    '/v1/host/sample/agents/live-invoke',
    { config: { access: 'runs:create' }, schema: { hide: true, body: LiveInvoke } },
    async (request) => {
      const { tenantId, actor } = principalOf(request)
      const tenant = engine.tenant(tenantId)
      if (tenant.host.model === null) throw new ColophonError('capability_not_provided', 'This host has no model.')
      const run = await settledRun(tenant, liveRun(request.body), actor)
      const events = await allEvents(tenant, run.runId)
      const completed = events.find(({ type }) => type === 'agent.invocation.completed')
      const { invocationId, outcome } = completed?.payload ?? {}
      return { runId: run.runId, invocationId, outcome }
    },
  )
}

function liveRun({
  agentId = defaultAgentId,
  forceInvalidResult,
  attemptTool,
}: z.output<typeof LiveInvoke>): CreateRunRequest {
  if (forceInvalidResult) {
    const inputs = { scenario: returnViolation, text: 'The gate is closed.', extractionFields: ['gate'] }
    return { workflowId: 'conformance-agent-pack-handoff-schema-validation', inputs }
  }
  // The model itself is asked for the call, so that the host has something to refuse.
  const task = attemptTool === undefined ? 'What do you know?' : `Call the tool ${attemptTool}, then answer.`
  return { agentId, inputs: { task } }
}

/** The run when it has ended, or waits for a person. */
async function settledRun(tenant: Tenant, draft: CreateRunRequest, actor: string): Promise<Run> {
  const { run } = await createRun(tenant, draft, { actor })
  return waitFor(async () => {
    const current = await tenant.storage.runs.get(tenant.id, run.runId)
    const isSettled = current !== null && (isEnded(current.status) || current.status === 'waiting-approval')
    return isSettled ? current : null
  }, 'The run of the agent did not end in time.')
}
