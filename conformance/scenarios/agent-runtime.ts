// Agents that run: dispatched by the seam, with handoff schemas, and with a model.
import { type Answer, asArray, at, type Check, isObject, type JsonObject, type RunEventDoc } from '../harness.ts'
import { completedRun, finishedRun, ofType, scenario, shapeOf } from '../support.ts'
import { inventory, isAdvertised } from './agent-inventory.ts'

const handoffFixture = 'conformance-agent-pack-handoff-schema-validation'
const disallowedTool = 'conformance-disallowed-tool'
const handoffFacts = 'agents 8, 14, 15'
const liveFacts = 'agents 9, 14'
const sources = ['workflow-node', 'run-api', 'chat-mention']
const outcomes = ['completed', 'handed-off', 'escalated', 'refused', 'failed']
const contentNames = ['prompt', 'result', 'body', 'input', 'output', 'apiKey', 'secret', 'credentials', 'token']

function needsSeam(check: Check, answer: Answer, name: string): void {
  if (answer.status === 404 && answer.body.error !== 'agent_not_found') check.blocked(`the host has no seam ${name}`)
  check.equal(answer.status, 200, `the seam ${name}: status`)
}

/** A run of the fixture: its agent has the inputs as its task. */
function needsHandoffs(check: Check): void {
  if (at(check.discovery, 'agents', 'manifestRuntime', 'handoffValidation') !== true)
    check.inapplicable('agents.manifestRuntime.handoffValidation is not advertised')
}

async function refusedHandoff(check: Check, inputs: JsonObject, codes: readonly string[]): Promise<void> {
  needsHandoffs(check)
  const { runId, snapshot } = await finishedRun(check, { workflowId: handoffFixture, inputs })
  check.equal(snapshot.status, 'failed', 'the run ends')
  check.equal(at(snapshot.variables, 'result'), undefined, 'no result is kept')
  const events = await check.events(runId)
  const [failed] = ofType(events, 'node.failed')
  check.oneOf(at(failed?.payload, 'error', 'code'), codes, 'code of node.failed')
  check.equal(ofType(events, 'agent.decided').length, 0, 'agent.decided events')
}

function liveClaim(check: Check): JsonObject {
  const claim = at(check.discovery, 'agents', 'liveRuntime')
  if (!isObject(claim) || claim.supported !== true) check.inapplicable('agents.liveRuntime is not advertised')
  return claim as JsonObject
}

type Invocation = { readonly runId: string; readonly events: readonly RunEventDoc[]; readonly ended: JsonObject }

/** One invocation of an agent with a model, with its events in order. */
async function invoke(check: Check, body: JsonObject): Promise<Invocation> {
  const answer = await check.http('POST', '/v1/host/sample/agents/live-invoke', { body })
  needsSeam(check, answer, 'agents/live-invoke')
  check.ok(typeof answer.body.runId === 'string', 'the invocation has a runId')
  const runId = String(answer.body.runId)
  const events = (await check.events(runId)).filter(({ type }) => type.startsWith('agent.'))
  const [first] = events
  const last = events.at(-1)
  check.equal(first?.type, 'agent.invocation.started', 'the first event of the agent')
  check.equal(last?.type, 'agent.invocation.completed', 'the last event of the agent')
  check.ok(typeof at(first?.payload, 'invocationId') === 'string', 'the invocation has an id')
  check.equal(at(last?.payload, 'invocationId'), at(first?.payload, 'invocationId'), 'invocationId of the end')
  check.equal(answer.body.invocationId, at(first?.payload, 'invocationId'), 'invocationId of the answer')
  return { runId, events, ended: (last?.payload ?? {}) as JsonObject }
}

export const scenarios = [
  scenario(
    'agent-manifest-runtime',
    handoffFacts,
    'An installed agent is dispatched; it reasons and decides',
    async (check) => {
      if (!isAdvertised(check)) check.inapplicable('agents.manifestRuntime is not advertised')
      const agents = await inventory(check)
      const agent = agents.find(({ hasHandoffSchemas }) => hasHandoffSchemas === false)
      if (agent === undefined) check.inapplicable('no agent without handoff schemas is installed')
      const agentId = String(agent?.agentId)
      const body = { task: {}, validateHandoff: false, availableTools: [] }
      const answer = await check.http('POST', `/v1/host/sample/agents/${agentId}/dispatch`, { body })
      needsSeam(check, answer, 'agents/{id}/dispatch')
      check.equal(answer.body.agentId, agentId, 'agentId of the answer')
      check.oneOf(answer.body.status, ['completed', 'escalated'], 'status of the dispatch')
      check.equal(answer.body.toolSurface, [], 'toolSurface where no tool is offered')
      check.ok(typeof answer.body.threshold === 'number', 'the answer has a threshold')
      const events = asArray(answer.body.events) as RunEventDoc[]
      for (const type of ['agent.reasoned', 'agent.decided'])
        check.ok(ofType(events, type).length > 0, `there is an ${type} event`)
      for (const event of events) check.equal(event.agentId, agentId, 'agentId of an event')
    },
  ),

  scenario(
    'agent-dispatch-unknown',
    handoffFacts,
    'An agent that is not installed is not dispatched',
    async (check) => {
      if (!isAdvertised(check)) check.inapplicable('agents.manifestRuntime is not advertised')
      const known = await check.http('POST', '/v1/host/sample/agents/core.conformance.nobody/dispatch', {
        body: { task: {}, validateHandoff: false, availableTools: [] },
      })
      check.refused(known, [404, 422], null, 'the dispatch of an unknown agent')
      const auth = 'none'
      const anonymous = await check.http('POST', '/v1/host/sample/agents/core.conformance.nobody/dispatch', { auth })
      check.refused(anonymous, [401, 403], null, 'the dispatch without a key')
    },
  ),

  scenario(
    'agentPackHandoffSchemaValidation',
    handoffFacts,
    'A task that fits the schema of the agent is dispatched',
    async (check) => {
      needsHandoffs(check)
      const inputs = { text: 'Invoice 42 of Acme, 1200 euros', extractionFields: ['vendor', 'total'] }
      const { runId, snapshot } = await completedRun(check, { workflowId: handoffFixture, inputs })
      check.ok(ofType(await check.events(runId), 'agent.decided').length > 0, 'the agent has decided')
      check.ok(at(snapshot.variables, 'result') !== undefined, 'the result is kept')
    },
  ),

  scenario(
    'agentPackHandoffSchemaValidation-task',
    handoffFacts,
    'A task that does not fit fails before the agent sees it',
    (check) =>
      refusedHandoff(check, { text: 'Invoice 42' }, [
        'handoff_task_schema_violation',
        'agent_dispatch_validation_failed',
      ]),
  ),

  scenario('agentPackHandoffSchemaValidation-return', handoffFacts, 'A result that does not fit is not kept', (check) =>
    refusedHandoff(check, { scenario: 'mock-return-violation', text: 'x', extractionFields: ['a'] }, [
      'handoff_return_schema_violation',
      'agent_return_validation_failed',
    ]),
  ),

  scenario('agent-live-runtime-shape', liveFacts, 'The claim of agents with a model is well formed', async (check) => {
    const claim = liveClaim(check)
    const known = ['supported', 'structuredOutput', 'confidenceEscalation', 'sources']
    check.equal(
      Object.keys(claim).filter((key) => !known.includes(key)),
      [],
      'keys that the closed block does not have',
    )
    for (const name of ['structuredOutput', 'confidenceEscalation'])
      check.oneOf(claim[name], [true, false, undefined], `${name} of the claim`)
    for (const source of asArray(claim.sources)) check.oneOf(source, sources, 'a source of the claim')
    check.ok(isAdvertised(check), 'agents with a model need agents.manifestRuntime')
  }),

  scenario(
    'agent-live-invocation-bracket',
    liveFacts,
    'Everything of an invocation lies between its two events, which have no content',
    async (check) => {
      liveClaim(check)
      const { runId, events, ended } = await invoke(check, { source: 'run-api' })
      const started = events[0]?.payload
      check.oneOf(at(started, 'source'), sources, 'source of the invocation')
      check.oneOf(ended.outcome, outcomes, 'outcome of the invocation')
      for (const payload of [started, ended])
        for (const name of contentNames) check.ok(at(payload, name) === undefined, `the invocation shows no ${name}`)
      for (const type of ['agent.promptResolved', 'agent.decided'])
        check.ok(ofType(events, type).length > 0, `there is an ${type} event`)
      const used = ofType(await check.events(runId), 'provider.usage')
      check.ok(used.length > 0, 'the call of the model is counted')
      for (const name of ['inputTokens', 'outputTokens'])
        for (const event of used) check.ok(Number.isInteger(at(event.payload, name)), `${name} of provider.usage`)
    },
  ),

  scenario(
    'agent-live-structured-output',
    liveFacts,
    'A result that does not fit its schema fails the invocation',
    async (check) => {
      if (liveClaim(check).structuredOutput !== true)
        check.inapplicable('agents.liveRuntime.structuredOutput is not advertised')
      const body = { returnSchemaRef: 'schemas/structured-fixture.return.schema.json', forceInvalidResult: true }
      const { ended, runId } = await invoke(check, body)
      check.equal(ended.outcome, 'failed', 'outcome of the invocation')
      check.ok(ended.schemaValidated !== true, 'the result is not said to fit')
      check.equal((await check.snapshot(runId)).status, 'failed', 'the run ends')
    },
  ),

  scenario(
    'agent-live-allowlist-enforced',
    liveFacts,
    'A tool outside the allowlist is not called, also if the model asks for it',
    async (check) => {
      liveClaim(check)
      const { events } = await invoke(check, { attemptTool: disallowedTool })
      const called = ofType(events, 'agent.toolCalled').map(({ payload }) => at(payload, 'toolName'))
      check.ok(!called.includes(disallowedTool), 'no call of the tool outside the allowlist')
    },
  ),

  scenario(
    'agent-live-replay',
    'agents 11, 20',
    'A replay of an invocation repeats what the agent did and what the model used',
    async (check) => {
      liveClaim(check)
      const { runId } = await invoke(check, { attemptTool: disallowedTool })
      const forked = await check.http('POST', `/v1/runs/${runId}:fork`, { body: { mode: 'replay', fromSeq: 0 } })
      check.equal(forked.status, 201, 'the fork')
      const forkId = String(forked.body.runId)
      const isSettled = ({ status }: JsonObject) => ['completed', 'failed', 'waiting-approval'].includes(String(status))
      await check.waitFor(forkId, isSettled)
      const ofAgent = (events: readonly RunEventDoc[]) =>
        shapeOf(events.filter(({ type }) => type.startsWith('agent.') || type === 'provider.usage'))
      check.equal(ofAgent(await check.events(forkId)), ofAgent(await check.events(runId)), 'the events of the agent')
    },
  ),
]
