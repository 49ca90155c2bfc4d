import { asArray, at, type Check, isObject, type JsonObject, type Scenario } from '../../harness.ts'
import { hasLongTerm } from '../../memory/long-term.ts'

const dimensions = [
  'read',
  'write',
  'search',
  'long-term-durability',
  'compaction',
  'attribution',
  'replay-snapshot',
  'retention',
]

function expectHonest(check: Check, agent: JsonObject): void {
  const name = `agent ${String(agent.agentId)}`
  const missing = agent.degradedMemoryDimensions
  const asksForLongTerm = at(agent.memoryShape, 'longTerm') === true
  const asksForMemory = Object.values(isObject(agent.memoryShape) ? agent.memoryShape : {}).includes(true)
  if (agent.memoryDegraded === true) {
    check.ok(Array.isArray(missing) && missing.length > 0, `${name}: a degraded agent says what is missing`)
    const list = asArray(missing)
    check.equal(new Set(list).size, list.length, `${name}: distinct degradedMemoryDimensions`)
    for (const dimension of list) check.oneOf(dimension, dimensions, `${name}: degraded dimension`)
  } else {
    check.oneOf(agent.memoryDegraded, [false, undefined], `${name}: memoryDegraded`)
    check.equal(asArray(missing).length, 0, `${name}: missing dimensions of an agent that is not degraded`)
  }
  if (asksForLongTerm && !hasLongTerm(check)) {
    check.ok(asArray(missing).includes('long-term-durability'), `${name}: asks for a durability that the host lacks`)
  }
  if (asksForMemory && check.family('memory')?.writable === false) {
    check.ok(asArray(missing).includes('write'), `${name}: asks for a memory that the host cannot write`)
  }
  if (!asksForMemory) check.oneOf(agent.memoryDegraded, [false, undefined], `${name}: asks for no memory`)
}

export const memoryDegradedProjection: Scenario = {
  id: 'memory-degraded-projection',
  facts: 'memory 16.12, 8.2',
  title: 'The inventory says which agents do not get the memory they ask for',
  async run(check) {
    // The published scenario also wants agents.manifestRuntime, which says that agents run; a host may only list them.
    check.needsFamily('memory')
    const answer = await check.http('GET', '/v1/agents')
    if ([404, 405, 501].includes(answer.status)) check.inapplicable(`GET /v1/agents answers ${answer.status}`)
    check.equal(answer.status, 200, 'GET /v1/agents')
    check.published('agent-inventory-response', answer.json, 'GET /v1/agents')
    const agents = asArray(answer.body.agents) as JsonObject[]
    check.ok(agents.length > 0, 'the inventory holds at least one agent')
    for (const agent of agents) expectHonest(check, agent)

    const degradedId = check.target.degradedAgentId
    if (degradedId === null) return
    const degraded = agents.find(({ agentId }) => agentId === degradedId)
    check.equal(degraded?.memoryDegraded, true, `memoryDegraded of ${degradedId}`)
    const single = await check.http('GET', `/v1/agents/${encodeURIComponent(degradedId)}`)
    check.equal(single.status, 200, `GET /v1/agents/${degradedId}`)
    check.equal(single.json, degraded, 'the agent alone and in the list')
  },
}
