import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { plainSecretValue, storedBytes } from '../support/secret-forms.ts'
import { type Call, createHome, randomKey, startServer, storagesOfBehaviour, useServer } from '../support/server.ts'
import { failToStart } from '../support/server-process.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const managed = `${host}/agents`
const inventory = '/v1/agents'
const files = '/v1/host/workspace/files'
const published = fileURLToPath(
  new URL('../../../shared/openwop/schemas/agent-inventory-response.schema.json', import.meta.url),
)
const keyed = (key: string) => ({ 'idempotency-key': key })
const backends = 'openwop.agents.memoryBackends'

const manifest = (name: string, more: object = {}) => ({
  agentId: `local.team.${name}`,
  persona: `The ${name}`,
  modelClass: 'general',
  systemPrompt: 'The prompt nobody sees.',
  ...more,
})

async function positionOf(call: Call): Promise<number> {
  return (await call('GET', `${host}/audit`)).body.head.position
}

for (const storage of storagesOfBehaviour) {
  describe(`agents on ${storage}`, () => {
    const server = useServer({ storage })

    test('agents are installed, listed in order of id, read, and removed', async () => {
      const { call } = await server.tenant()
      assert.deepEqual((await call('GET', inventory)).body, { agents: [], total: 0 })
      await call('PUT', `${files}/schemas/unseen.json`, { content: '{}' })
      const made = await call('POST', managed, manifest('b', { handoff: { taskSchemaRef: 'schemas/unseen.json' } }))
      assert.deepEqual(
        [made.status, made.body],
        [
          201,
          {
            agentId: 'local.team.b',
            persona: 'The b',
            label: 'The b',
            modelClass: 'general',
            packName: 'colophon.local',
            packVersion: '1.0.0',
            toolAllowlist: [],
            hasHandoffSchemas: true,
          },
        ],
      )
      const more = { label: 'A', description: 'first', toolAllowlist: ['mcp:x'], confidence: { defaultThreshold: 0.5 } }
      await call('POST', managed, manifest('a', { ...more, memoryShape: { longTerm: true, conversation: false } }))
      const { body } = await call('GET', inventory)
      assert.equal(body.total, 2)
      assert.deepEqual(
        body.agents.map(({ agentId }: { agentId: string }) => agentId),
        ['local.team.a', 'local.team.b'],
      )
      assert.deepEqual(body.agents[1], made.body)
      assert.deepEqual((await call('GET', managed)).body, body)
      const one = await call('GET', `${inventory}/local.team.a`)
      assert.deepEqual([one.status, one.body], [200, body.agents[0]])
      assert.deepEqual(one.body.memoryShape, { longTerm: true, conversation: false })
      assert.equal(one.body.confidenceThreshold, 0.5)
      for (const hidden of ['nobody sees', 'unseen']) assert.ok(!JSON.stringify(body).includes(hidden), hidden)
      assert.deepEqual((await call('DELETE', `${managed}/local.team.a`)).body, { deleted: true })
      assert.deepEqual((await call('DELETE', `${managed}/local.team.a`)).body, { deleted: false })
      assertError(await call('GET', `${inventory}/local.team.a`), 404, 'not_found')
      assert.equal((await call('GET', inventory)).body.total, 1)
    })

    test('installing the same document again changes nothing; a different document is a new revision', async () => {
      const { call } = await server.tenant()
      assert.equal((await call('POST', managed, manifest('a'))).status, 201)
      const position = await positionOf(call)
      const again = await call('POST', managed, Object.fromEntries(Object.entries(manifest('a')).reverse()))
      assert.deepEqual([again.status, again.body.agentId], [200, 'local.team.a'])
      assert.equal(await positionOf(call), position)
      const changed = await call('POST', managed, manifest('a', { persona: 'Other' }))
      assert.deepEqual([changed.status, changed.body.persona], [201, 'Other'])
      // The prompt is not shown, yet it is part of the agent.
      assert.equal((await call('POST', managed, manifest('a', { systemPrompt: 'Another.' }))).status, 201)
      assert.equal(await positionOf(call), position + 2)
      const { records } = (await call('GET', `${host}/audit`)).body
      const changes = records.flatMap(
        ({ body }: { body: { admin?: { kind: string; id: string; revision: number }[] } }) =>
          (body.admin ?? []).filter(({ kind }) => kind === 'agent').map(({ id, revision }) => [id, revision]),
      )
      assert.deepEqual(
        changes,
        [1, 2, 3].map((revision) => ['local.team.a', revision]),
      )
      assert.equal((await call('GET', '/v1/audit/verify')).body.chainValid, true)
    })

    test('many concurrent installs of one document install it once', async () => {
      const { call } = await server.tenant()
      const answers = await Promise.all(Array.from({ length: 20 }, () => call('POST', managed, manifest('a'))))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array.from({ length: 19 }, () => 200), 201])
    })

    test('a repeated call with its idempotency key gets the first response, whatever changed since', async () => {
      const { call } = await server.tenant()
      const put = (persona: string) => call('POST', managed, manifest('a', { persona }), keyed('put'))
      const first = await put('One')
      assert.deepEqual([first.status, first.headers.get('idempotent-replay')], [201, 'false'])
      await call('POST', managed, manifest('a', { persona: 'Two' }))
      const second = await put('One')
      assert.deepEqual([second.status, second.body], [201, first.body])
      assert.equal(second.headers.get('idempotent-replay'), 'true')
      assert.equal((await call('GET', `${inventory}/local.team.a`)).body.persona, 'Two')
      assertError(await put('Three'), 409, 'idempotency_key_mismatch')
      const same = () => call('POST', managed, manifest('a', { persona: 'Two' }), keyed('same'))
      for (const replay of ['false', 'true']) {
        const answer = await same()
        assert.deepEqual([answer.status, answer.headers.get('idempotent-replay')], [200, replay])
      }
      for (const [path, deleted] of [
        ['local.team.a', true],
        ['local.team.none', false],
        ['roster', false],
      ] as const) {
        for (const replay of ['false', 'true']) {
          const answer = await call('DELETE', `${managed}/${path}`, undefined, keyed(`remove ${path}`))
          assert.deepEqual([answer.body, answer.headers.get('openwop-idempotent-replay')], [{ deleted }, replay])
        }
      }
    })

    test('agents belong to one tenant', async () => {
      const [one, other] = [await server.tenant(), await server.tenant()]
      await one.call('POST', managed, manifest('a'))
      assert.deepEqual((await other.call('GET', inventory)).body, { agents: [], total: 0 })
      const foreign = await other.call('GET', `${inventory}/local.team.a`)
      const unknown = await other.call('GET', `${inventory}/local.team.none`)
      assert.deepEqual([foreign.status, foreign.text], [404, unknown.text])
      assert.deepEqual((await other.call('DELETE', `${managed}/local.team.a`)).body, { deleted: false })
      assert.equal((await one.call('GET', inventory)).body.total, 1)
    })

    test('protocol keywords and malformed ids are not found', async () => {
      const { call } = await server.tenant()
      for (const id of ['roster', 'org-chart', 'none', 'local.a.b%00', '%F0%9F%A6%8A', 'x'.repeat(300)]) {
        assertError(await call('GET', `${inventory}/${id}`), 404, 'not_found')
        assert.deepEqual((await call('DELETE', `${managed}/${id}`)).body, { deleted: false })
      }
    })

    test('an invalid manifest is refused with the reason, and nothing is stored', async () => {
      const { call } = await server.tenant()
      const invalid = [
        [],
        'x',
        {},
        manifest('a', { extra: 1 }),
        manifest('a', { memoryShape: { longTerm: 'yes' } }),
        manifest('a', { memoryShape: { shortTerm: true } }),
        manifest('a', { modelClass: 'vision' }),
        manifest('a', { agentId: 'roster' }),
        manifest('a', { agentId: 'host:a' }),
        manifest('a', { systemPromptRef: 'prompts/a.md' }),
        manifest('a', { systemPrompt: undefined }),
        manifest('a', { confidence: { defaultThreshold: 2 } }),
        manifest('a', { persona: 'x'.repeat(201) }),
      ]
      for (const body of invalid)
        assertError(await call('POST', managed, JSON.stringify(body), json), 400, 'validation_error')
      await call('PUT', `${files}/a`, { content: '{}' })
      const handoff = { taskSchemaRef: 'a' }
      const refused = [
        manifest('a', { role: 'skill' }),
        manifest('a', { role: 'skill', handoff, memoryShape: { longTerm: true } }),
        manifest('a', { role: 'skill', handoff, memoryShape: { conversation: true } }),
        manifest('a', { peerDependencies: { [backends]: '>=vector' } }),
        manifest('a', { peerDependencies: { 'vendor.acme.thing': '*' } }),
      ]
      for (const body of refused) assertError(await call('POST', managed, body), 422, 'pack_validation_failed')
      assert.match((await call('POST', managed, refused.at(-1))).body.message, /vendor\.acme\.thing/)
      assertError(await call('GET', `${inventory}?tenantId=default`), 400, 'validation_error')
      assert.equal((await call('GET', inventory)).body.total, 0)
      assert.equal((await call('POST', managed, manifest('a', { role: 'skill', handoff }))).status, 201)
    })

    test('met dependencies are not listed; optional ones that are not met are', async () => {
      const { call } = await server.tenant()
      const met = await call('POST', managed, manifest('a', { peerDependencies: { [backends]: '>=longTerm' } }))
      assert.deepEqual([met.status, 'degraded' in met.body], [201, false])
      const peerDependencies = { [backends]: '>=long-term', 'vendor.acme.thing': '*' }
      const peerDependenciesMeta = { 'vendor.acme.thing': { optional: true } }
      await call('POST', managed, manifest('b', { peerDependencies, peerDependenciesMeta }))
      assert.deepEqual((await call('GET', `${inventory}/local.team.b`)).body.degraded, ['vendor.acme.thing'])
    })

    test('each call needs its scope', async () => {
      const { call } = await server.tenant()
      const keyFor = async (scope: string) =>
        server.as((await call('POST', `${host}/keys`, { name: scope, scopes: [scope] })).body.key)
      const reader = await keyFor('runs:read')
      const admin = await keyFor('memory:admin')
      assert.equal((await admin('POST', managed, manifest('a'))).status, 201)
      for (const path of [inventory, managed, `${inventory}/local.team.a`]) {
        assert.equal((await reader('GET', path)).status, 200, path)
        assertError(await admin('GET', path), 403, 'forbidden')
        assertError(await server.as(null)('GET', path), 401, 'unauthenticated')
      }
      assertError(await reader('POST', managed, manifest('a')), 403, 'forbidden')
      assertError(await reader('DELETE', `${managed}/local.team.a`), 403, 'forbidden')
      assertError(await server.as(null)('POST', managed, manifest('a')), 401, 'unauthenticated')
    })
  })

  test(`secrets do not reach ${storage} with a manifest`, async () => {
    await using home = await createHome(storage)
    const value = plainSecretValue()
    {
      await using server = await startServer({ home })
      const { call } = server
      await call('PUT', `${host}/secrets/crm`, { value })
      const holding = {
        persona: `P ${value}`,
        label: `L ${value}`,
        description: `D ${value}`,
        systemPrompt: `Use ${value}.`,
        toolAllowlist: [`mcp:${value}`],
        evalSuiteRef: value,
        promptOverrides: { user: { templateId: 't', variableOverrides: { [value]: value } } },
      }
      const made = await call('POST', managed, manifest('a', holding))
      assert.equal(made.status, 201, made.text)
      assert.deepEqual(
        [made.body.persona, made.body.label, made.body.description, made.body.toolAllowlist],
        ['P [REDACTED:crm]', 'L [REDACTED:crm]', 'D [REDACTED:crm]', ['mcp:[REDACTED:crm]']],
      )
      assert.deepEqual((await call('GET', `${inventory}/local.team.a`)).body, made.body)
      assert.equal((await call('POST', managed, manifest('a', holding))).status, 200, 'it is the same document')
      for (const names of [
        { agentId: `local.team.${value}` },
        { requiresCapabilities: [value] },
        { peerDependencies: { [value]: '*' } },
        { peerDependencies: { [backends]: value } },
        { peerDependenciesMeta: { [value]: { optional: true } } },
      ]) {
        const refused = await call('POST', managed, manifest('a', names))
        assertError(refused, 422, 'secret_leakage')
        assert.ok(!refused.text.includes(value))
      }
      await call('PATCH', '/v1/tenant/settings', { redaction_policy: 'reject' })
      assertError(await call('POST', managed, manifest('a', holding)), 422, 'secret_leakage')
      assert.ok(!server.logs().includes(value))
      await server.stop()
    }
    assert.ok(!(await storedBytes(home)).includes(value))
  })
}

const json = { 'content-type': 'application/json' }

describe('agents show which memory capabilities the host lacks', () => {
  const wishes = [{ longTerm: true }, { longTerm: false, scratchpad: false }, {}, { scratchpad: true }]
  const install = (call: Call) =>
    Promise.all(wishes.map((memoryShape, i) => call('POST', managed, manifest(`wish-${i}`, { memoryShape }))))

  test('a host with durable storage has long-term memory', async () => {
    await using server = await startServer()
    await install(server.call)
    const { body } = await server.call('GET', `${inventory}/local.team.wish-0`)
    assert.ok(!('memoryDegraded' in body), JSON.stringify(body))
  })

  test('a host without durable storage has no long-term memory, and its agents show that', async () => {
    await using server = await startServer({ storage: 'memory' })
    await install(server.call)
    const needy = await server.call('POST', managed, manifest('x', { peerDependencies: { [backends]: '>=longTerm' } }))
    assertError(needy, 422, 'pack_validation_failed')
    const { agents } = (await server.call('GET', inventory)).body
    const dimensions = ['read', 'write', 'search', 'long-term-durability', 'compaction', 'attribution']
    for (const agent of agents) {
      const listed = agent.degradedMemoryDimensions ?? []
      assert.equal(listed.length > 0, agent.memoryDegraded === true)
      assert.equal(new Set(listed).size, listed.length)
      for (const name of listed) assert.ok([...dimensions, 'replay-snapshot', 'retention'].includes(name), name)
    }
    assert.deepEqual(agents[0].degradedMemoryDimensions, ['long-term-durability'])
    assert.ok(!('memoryDegraded' in agents[1]) && !('memoryDegraded' in agents[2]))
    assert.deepEqual((await server.call('GET', `${inventory}/local.team.wish-0`)).body, agents[0])
  })

  test('the inventory is valid by the published schema', async (t) => {
    if (!existsSync(published)) return t.skip(`the published schemas are not at ${published}`)
    // Not a dependency of ours: it is there when another package brings it.
    const name = 'ajv/dist/2020.js'
    const loaded = await import(name).catch(() => null)
    if (loaded === null) return t.skip('ajv is not installed')
    const ajv = new loaded.default.default({ strict: false, allErrors: true, validateFormats: false })
    const schema = JSON.parse(readFileSync(published, 'utf8'))
    const validate = ajv.compile(schema)
    const validateEntry = ajv.compile({ $ref: `${schema.$id}#/$defs/AgentInventoryEntry` })
    for (const storage of ['sqlite', 'memory'] as const) {
      await using server = await startServer({ storage })
      assert.ok(validate((await server.call('GET', inventory)).body), JSON.stringify(validate.errors))
      await install(server.call)
      const requiresCapabilities = ['host.voice', 'memory']
      const made = await server.call('POST', managed, manifest('x', { description: '', requiresCapabilities }))
      assert.ok(validateEntry(made.body), JSON.stringify(validateEntry.errors))
      assert.deepEqual(made.body.degraded, ['host.voice'])
      const { body } = await server.call('GET', inventory)
      assert.equal(body.total, wishes.length + 1)
      assert.ok(validate(body), JSON.stringify(validate.errors))
    }
  })
})

describe('manifests in the data folder are installed for the tenant default', () => {
  const put = (dataDir: string, name: string, content: unknown) => {
    mkdirSync(join(dataDir, 'agents'), { recursive: true })
    writeFileSync(join(dataDir, 'agents', name), typeof content === 'string' ? content : JSON.stringify(content))
  }

  test('they are installed at every start, and stored once', async () => {
    await using home = await createHome('sqlite')
    put(home.dataDir, 'a.json', manifest('a'))
    const env = { COLOPHON_BOOTSTRAP_KEY: randomKey() }
    let position = 0
    for (const start of [1, 2]) {
      await using server = await startServer({ home, env })
      assert.equal((await server.call('GET', inventory)).body.total, 1)
      assert.equal((await (await server.tenant()).call('GET', inventory)).body.total, 0)
      const now = await positionOf(server.call)
      if (start === 2) assert.equal(now, position)
      position = now
      await server.stop()
    }
  })

  test('an invalid one stops the start; the error names it, without its text', async () => {
    await using home = await createHome('sqlite')
    const value = plainSecretValue()
    put(home.dataDir, 'bad.json', `{"${value}`)
    const { code, signal, logs } = await failToStart(home.env)
    assert.notEqual(code, 0)
    assert.equal(signal, null)
    assert.match(logs, /bad\.json/)
    assert.ok(!logs.includes(value))
  })
})
