import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openInMemoryStore } from '../adapters/in-memory/open.ts'
import { nodeSystem } from '../adapters/system/node-system.ts'
import { agentLimits } from '../core/agents/agent.ts'
import { isColophonError } from '../core/errors.ts'
import { composeEngine } from '../open.ts'
import { getAgent, listAgents, putAgent, removeAgent } from './agents.ts'
import { putRule } from './redaction/rules.ts'

const tenant = 'acme'
/** A host without any capability. */
const advertised = { agents: {} }
const manifest = (name: string, more: object = {}) => ({
  agentId: `local.team.${name}`,
  persona: name,
  modelClass: 'writing',
  systemPrompt: 'Be kind.',
  ...more,
})

function open() {
  const { engine, close } = composeEngine(openInMemoryStore({ now: Date.now }), nodeSystem(), 'test', null)
  return { engine, [Symbol.asyncDispose]: close }
}

test('the whole manifest is returned, including its prompt', async () => {
  await using world = open()
  const document = manifest('a', { toolAllowlist: ['mcp:x'], memoryShape: { longTerm: true }, role: 'assistant' })
  const { agentId, created, repeated } = await putAgent(world.engine.tenant(tenant), document, advertised)
  assert.deepEqual([agentId, created, repeated], ['local.team.a', true, false])
  assert.deepEqual(await getAgent(world.engine.tenant(tenant), agentId), document)
})

test('a rule that matches words of a manifest changes its texts, not its meaning', async () => {
  await using world = open()
  for (const pattern of ['writing', 'longTerm', 'memory', 'persona', 'local']) {
    await putRule(world.engine.tenant(tenant), pattern.toLowerCase(), { pattern })
  }
  const document = manifest('a', {
    description: 'writing',
    memoryShape: { longTerm: true },
    requiresCapabilities: ['memory'],
  })
  await putAgent(world.engine.tenant(tenant), document, advertised)
  const stored = await getAgent(world.engine.tenant(tenant), 'local.team.a')
  assert.deepEqual(
    [stored.agentId, stored.modelClass, stored.memoryShape, stored.description, stored.requiresCapabilities],
    ['local.team.a', 'writing', { longTerm: true }, '[REDACTED:writing]', ['memory']],
  )
  assert.equal(typeof stored.persona, 'string')
  assert.equal((await putAgent(world.engine.tenant(tenant), document, advertised)).created, false)
})

test('a rule that was added later makes the same document a change, once', async () => {
  await using world = open()
  const document = manifest('a', { systemPrompt: 'Ask for TCK-123456.' })
  await putAgent(world.engine.tenant(tenant), document, advertised)
  await putRule(world.engine.tenant(tenant), 'ticket', { pattern: 'TCK-[0-9]{6}' })
  assert.equal((await putAgent(world.engine.tenant(tenant), document, advertised)).created, true)
  assert.equal((await getAgent(world.engine.tenant(tenant), 'local.team.a')).systemPrompt, 'Ask for [REDACTED:ticket].')
  assert.equal((await putAgent(world.engine.tenant(tenant), document, advertised)).created, false)
})

test('the number of agents per tenant is limited, and all of them are listed', async () => {
  await using world = open()
  const max = agentLimits.agentsPerTenantMax
  const names = Array.from({ length: max }, (_, i) => `a${String(i).padStart(4, '0')}`)
  for (const name of names) await putAgent(world.engine.tenant(tenant), manifest(name), advertised)
  await assert.rejects(
    putAgent(world.engine.tenant(tenant), manifest('more'), advertised),
    (error) => isColophonError(error, 'validation_error') && error.details.limit === 'agentsPerTenantMax',
  )
  assert.equal(
    (await putAgent(world.engine.tenant(tenant), manifest('a0000', { persona: 'x' }), advertised)).created,
    true,
  )
  const listed: string[] = []
  for await (const { agentId } of listAgents(world.engine.tenant(tenant))) listed.push(agentId)
  assert.deepEqual(
    listed,
    names.map((name) => `local.team.${name}`),
  )
  await removeAgent(world.engine.tenant(tenant), 'local.team.a0001')
  assert.equal((await putAgent(world.engine.tenant(tenant), manifest('more'), advertised)).created, true)
})
