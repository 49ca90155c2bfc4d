// The agents of a host. Whether their memory needs are met is part of the memory scenarios.
import { asArray, at, type Check, isObject, type JsonObject } from '../harness.ts'
import { completedRun, ofType, scenario, unknownId } from '../support.ts'

const facts = 'core 26.46'
const reasoningFixture = 'conformance-agent-reasoning'

const isAdvertised = (check: Check): boolean => at(check.discovery, 'agents', 'manifestRuntime', 'supported') === true

/** A host that does not run agents may list them all the same: their memory needs are shown there. */
async function inventory(check: Check): Promise<JsonObject[]> {
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
]
