// The agents of a host. Whether their memory needs are met is part of the memory scenarios.
import { asArray, at, type Check, isObject, type JsonObject } from '../harness.ts'
import { completedRun, hasStatus, ofType, scenario, unknownId } from '../support.ts'

const facts = 'core 26.46'
const agentFacts = 'agents 8, 14'
const reasoningFixture = 'conformance-agent-reasoning'

export const isAdvertised = (check: Check): boolean =>
  at(check.discovery, 'agents', 'manifestRuntime', 'supported') === true

/** A host that does not run agents may list them all the same: their memory needs are shown there. */
export async function inventory(check: Check): Promise<JsonObject[]> {
  const answer = await check.http('GET', '/v1/agents')
  if (!isAdvertised(check) && [404, 501].includes(answer.status))
    check.inapplicable('agents.manifestRuntime is not advertised')
  check.equal(answer.status, 200, 'GET /v1/agents')
  check.published('agent-inventory-response', answer.json, 'the inventory')
  check.ok(Array.isArray(answer.body.agents), 'agents is an array')
  const agents = asArray(answer.body.agents).filter(isObject)
  check.equal(answer.body.total, agents.length, 'total')
  return agents
}

export const scenarios = [
  scenario(
    'agent-inventory.unadvertised',
    facts,
    'A host that runs no agents lists them, or answers 404',
    async (check) => {
      if (isAdvertised(check)) check.inapplicable('agents.manifestRuntime is advertised')
      const answer = await check.http('GET', '/v1/agents')
      check.oneOf(answer.status, [200, 404, 501], 'GET /v1/agents')
      if (answer.status === 200) check.ok(Array.isArray(answer.body.agents), 'agents is an array')
    },
  ),

  scenario('agent-inventory.list', facts, 'The inventory is sorted and every entry is complete', async (check) => {
    const agents = await inventory(check)
    const ids = agents.map(({ agentId }) => String(agentId))
    check.equal(ids, [...ids].sort(), 'the order of the agentIds')
    for (const agent of agents) {
      for (const field of ['agentId', 'persona', 'label', 'modelClass', 'packName', 'packVersion'])
        check.ok(typeof agent[field] === 'string', `${field} is a text`)
      check.ok(Array.isArray(agent.toolAllowlist), 'toolAllowlist is an array')
      check.ok(typeof agent.hasHandoffSchemas === 'boolean', 'hasHandoffSchemas is a boolean')
      for (const hidden of ['systemPrompt', 'systemPromptRef', 'handoff'])
        check.equal(agent[hidden], undefined, `${hidden} of an entry`)
    }
    if (isAdvertised(check) && at(check.discovery, 'agents', 'manifestRuntime', 'installScope') !== 'tenant')
      check.ok(agents.length >= 1, 'a host-wide inventory has at least one agent')
  }),

  scenario('agent-inventory.one', facts, 'One agent can be read; an unknown one is 404', async (check) => {
    const [first] = await inventory(check)
    check.refused(await check.http('GET', `/v1/agents/local.${unknownId()}`), [404], null, 'an unknown agent')
    if (first === undefined) return
    const answer = await check.http('GET', `/v1/agents/${String(first.agentId)}`)
    check.equal(answer.status, 200, 'GET of one agent')
    check.equal(answer.json, first, 'the entry by itself')
  }),

  scenario('agent-inventory.auth', facts, 'The inventory needs a credential', async (check) => {
    await inventory(check)
    check.refused(await check.http('GET', '/v1/agents', { auth: 'none' }), [401, 403], null, 'GET /v1/agents')
  }),

  scenario('agent-dispatch', facts, 'A run with an agent leaves its reasoning and its decision', async (check) => {
    if (!isAdvertised(check)) check.inapplicable('agents.manifestRuntime is not advertised')
    // A host may keep manifests and list them without ever running a model.
    const runsAgents = at(check.discovery, 'agents', 'liveRuntime', 'supported') === true
    if (!runsAgents && !check.hasFixture(reasoningFixture))
      check.inapplicable(`agents.liveRuntime is not advertised, nor is the fixture ${reasoningFixture}`)
    const { runId } = await completedRun(check, { workflowId: reasoningFixture })
    const events = await check.events(runId)
    for (const type of ['agent.reasoned', 'agent.decided']) {
      const found = ofType(events, type)
      check.ok(found.length > 0, `there is an ${type} event`)
      for (const event of found)
        check.ok(typeof at(event.payload, 'agentId') === 'string', `${type} carries the agentId`)
    }
  }),

  scenario('agent-tool-pairs', agentFacts, 'A tool that returned names its call as its cause', async (check) => {
    if (!check.hasFixture(reasoningFixture)) check.inapplicable(`the fixture ${reasoningFixture} is not advertised`)
    const { runId } = await completedRun(check, { workflowId: reasoningFixture })
    const events = await check.events(runId)
    const calls = ofType(events, 'agent.toolCalled')
    const returns = ofType(events, 'agent.toolReturned')
    check.ok(calls.length > 0, 'there is an agent.toolCalled event')
    check.equal(returns.length, calls.length, 'every call has returned')
    for (const [index, called] of calls.entries()) {
      const returned = returns[index]
      check.equal(at(returned?.payload, 'callId'), at(called.payload, 'callId'), 'callId of the pair')
      check.equal(returned?.causationId, called.eventId, 'causationId of agent.toolReturned')
    }
    for (const event of events.filter(({ type }) => type.startsWith('agent.')))
      check.equal(event.agentId, at(event.payload, 'agentId'), `agentId beside the payload of ${event.type}`)
  }),

  scenario(
    'agent-confidence-escalation',
    agentFacts,
    'A decision below the threshold waits for a person',
    async (check) => {
      const fixture = 'conformance-agent-low-confidence'
      if (!check.hasFixture(fixture)) check.inapplicable(`the fixture ${fixture} is not advertised`)
      const { body } = await check.http('POST', '/v1/runs', { body: { workflowId: fixture } })
      const runId = String(body.runId)
      await check.waitFor(runId, hasStatus('waiting-approval'))
      const [suspended] = ofType(await check.events(runId), 'node.suspended')
      check.equal(at(suspended?.payload, 'reason'), 'low-confidence', 'reason of node.suspended')
      check.ok(typeof at(suspended?.payload, 'agentId') === 'string', 'node.suspended carries the agentId')
      const [observed, threshold] = ['observed', 'threshold'].map((name) => Number(at(suspended?.payload, name)))
      check.ok(Number(observed) < Number(threshold), 'observed is below threshold')
      const answer = { body: { resumeValue: { action: 'accept' } } }
      const resumed = await check.http('POST', `/v1/runs/${runId}/interrupts/${String(suspended?.nodeId)}`, answer)
      check.equal(resumed.status, 200, 'the decision is ratified')
      await check.waitFor(runId)
      check.ok(ofType(await check.events(runId), 'agent.decided').length >= 2, 'the ratified decision is recorded')
    },
  ),

  scenario('agent-identity', agentFacts, 'A run shows the agent of its node', async (check) => {
    const fixture = 'conformance-agent-identity'
    if (!check.hasFixture(fixture)) check.inapplicable(`the fixture ${fixture} is not advertised`)
    const { snapshot } = await completedRun(check, { workflowId: fixture })
    check.equal(at(snapshot, 'agent', 'agentId'), 'core.conformance.identity-agent', 'agent of the run')
  }),

  scenario(
    'agent-run',
    agentFacts,
    'An installed agent runs, and its events have its id and no prompt',
    async (check) => {
      if (!isAdvertised(check)) check.inapplicable('agents.manifestRuntime is not advertised')
      const agents = await inventory(check)
      const [agent] = agents.filter(({ hasHandoffSchemas }) => hasHandoffSchemas === false)
      if (agent === undefined) check.inapplicable('no agent without handoff schemas is installed')
      const configurable = { escalationThreshold: 0 }
      const draft = { agentId: agent?.agentId, inputs: { task: 'What do you know?' }, configurable }
      const started = await check.http('POST', '/v1/runs', { body: draft })
      if (started.status === 400) check.inapplicable('the host does not start runs by agentId')
      check.equal(started.status, 201, 'POST /v1/runs with agentId')
      const runId = String(started.body.runId)
      await check.waitFor(runId)
      const events = await check.events(runId)
      for (const type of ['agent.reasoned', 'agent.decided']) {
        const found = ofType(events, type)
        check.ok(found.length > 0, `there is an ${type} event`)
        for (const event of found) check.equal(event.agentId, agent?.agentId, `agentId of ${type}`)
      }
      check.ok(!JSON.stringify(events).includes('You remember what users say.'), 'no event has the prompt')
    },
  ),
]
