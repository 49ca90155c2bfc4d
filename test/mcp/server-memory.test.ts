import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { createClient } from '../../src/client/index.ts'
import { createSourceWriter, type SourceWriter } from '../../src/client/source-writer.ts'
import { observationDraft } from '../../src/mcp/server-memory/graph.ts'
import { createGraphStore } from '../../src/mcp/server-memory/store.ts'
import { runCli } from '../support/cli.ts'
import { useServer } from '../support/server.ts'
import { connectHttp } from './connect.ts'

/** What the reference server lists; the long test compares it with the package itself. */
const listed = JSON.parse(
  readFileSync(new URL('official/server-memory-tools.json', import.meta.url), 'utf8'),
) as object[]

const ada = { name: 'Ada', entityType: 'person', observations: ['prefers tea', 'lives in Turin'] }
const turin = { name: 'Turin', entityType: 'city', observations: [] }
const lives = { from: 'Ada', to: 'Turin', relationType: 'lives in' }

describe('the tools of the MCP reference memory server', () => {
  const server = useServer()
  const open = (key: string, ref?: string) =>
    connectHttp(server.url, key, { tools: 'server-memory', service: 'desk', ...(ref === undefined ? {} : { ref }) })

  test('are listed as the reference server lists them', async () => {
    await using mcp = await open(server.key)
    const { tools } = await mcp.client.listTools()
    assert.deepEqual(
      tools.map(({ name, title, description, inputSchema, outputSchema, annotations }) =>
        comparable({ name, title, description, inputSchema, outputSchema, annotations }),
      ),
      listed.map(comparable),
    )
  })

  test('create, add, read, search, open and delete', async () => {
    const { key } = await server.tenant()
    await using mcp = await open(key)
    const call = async (name: string, args: Record<string, unknown> = {}) => (await mcp.call(name, args)).structured
    const created = await mcp.call('create_entities', { entities: [ada, turin] })
    assert.deepEqual([created.structured, JSON.parse(created.text)], [{ entities: [ada, turin] }, [ada, turin]])
    assert.deepEqual(await call('create_entities', { entities: [{ ...ada, entityType: 'robot' }] }), { entities: [] })
    assert.deepEqual(await call('create_relations', { relations: [lives, lives] }), { relations: [lives] })
    assert.deepEqual(await call('create_relations', { relations: [lives] }), { relations: [] })
    const added = await call('add_observations', {
      observations: [{ entityName: 'Ada', contents: ['prefers tea', 'sings'] }],
    })
    assert.deepEqual(added, { results: [{ entityName: 'Ada', addedObservations: ['sings'] }] })
    const missing = await mcp.call('add_observations', { observations: [{ entityName: 'Bob', contents: ['x'] }] })
    assert.deepEqual([missing.isError, missing.text], [true, 'Entity with name Bob not found'])
    const whole = { entities: [{ ...ada, observations: [...ada.observations, 'sings'] }, turin], relations: [lives] }
    assert.deepEqual(await call('read_graph'), whole)
    assert.deepEqual(await call('search_nodes', { query: 'SING' }), { ...whole, entities: [whole.entities[0]] })
    assert.deepEqual(await call('open_nodes', { names: ['Turin', 'Rome'] }), { ...whole, entities: [turin] })
    const deletions = [{ entityName: 'Ada', observations: ['sings', 'never said'] }]
    await call('delete_observations', { deletions })
    assert.deepEqual(await call('read_graph'), { entities: [ada, turin], relations: [lives] })
    await call('delete_relations', { relations: [lives] })
    assert.deepEqual(await call('read_graph'), { entities: [ada, turin], relations: [] })
    await call('create_relations', { relations: [lives] })
    const gone = await call('delete_entities', { entityNames: ['Ada'] })
    assert.deepEqual(gone, { success: true, message: 'Entities deleted successfully' })
    assert.deepEqual(await call('read_graph'), { entities: [turin], relations: [] })
    // What belonged to a deleted entity does not come back with its name.
    await call('create_entities', { entities: [{ ...ada, observations: [] }] })
    assert.deepEqual(await call('open_nodes', { names: ['Ada'] }), {
      entities: [{ ...ada, observations: [] }],
      relations: [],
    })
  })

  test('every part has a writer and a source event, and names with a secret are refused', async () => {
    const { key } = await server.tenant()
    await using mcp = await open(key, 'graphs/team')
    await mcp.call('create_entities', { entities: [ada] })
    const api = createClient({ url: server.url, key })
    const { entries } = await api.memory.list('graphs/team')
    assert.equal(entries.length, 3)
    for (const { id } of entries) {
      const { origin, story } = await api.memory.colophon('graphs/team', id)
      assert.deepEqual([origin.kind, origin.service], ['service', 'desk'])
      const provenance = story[0]?.details.provenance as { scope: { tool: string } } | undefined
      assert.equal(provenance?.scope.tool, 'create_entities')
    }
    const name = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`
    const refused = await mcp.call('create_entities', { entities: [{ ...turin, name }] })
    assert.ok(refused.isError && !refused.text.includes(name))
    assert.equal((await mcp.call('read_graph')).structured.entities.length, 1)
  })

  test('a change is decided again if another client was faster', async () => {
    const { key } = await server.tenant()
    await using mcp = await open(key)
    await mcp.call('create_entities', { entities: [ada] })
    const sings = { observations: [{ entityName: 'Ada', contents: ['sings'] }] }
    const api = createClient({ url: server.url, key })
    const real = createSourceWriter(api, { service: 'desk' }, 'desk')
    let isFirst = true
    const writer: SourceWriter = {
      ...real,
      async write(...args) {
        if (isFirst) await mcp.call('add_observations', sings)
        isFirst = false
        return real.write(...args)
      },
    }
    const store = createGraphStore(api, 'knowledge-graph', undefined)
    const seen: number[] = []
    await store.change({ writer, call: { id: 'e-1', scope: {} } }, ({ entities }) => {
      seen.push(entities[0]?.observations.length ?? 0)
      return { entries: entities[0]?.observations.includes('sings') ? [] : [observationDraft('Ada', 'sings')] }
    })
    assert.deepEqual(seen, [2, 3])
    assert.deepEqual((await store.read()).entities[0]?.observations, [...ada.observations, 'sings'])
  })

  test('a person has no graph', async () => {
    assert.equal((await server.call('POST', '/mcp?subject=ada&tools=server-memory', {})).status, 400)
    const { code, stderr } = await runCli(['mcp', '--subject', 'ada', '--tools', 'server-memory'])
    assert.deepEqual([code, /--tools server-memory or --subject/.test(stderr)], [2, true])
  })
})

/** Schemas without what two versions of the SDK write differently, and which means the same. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => name !== '$schema' && name !== 'additionalProperties')
  return Object.fromEntries(members.map(([name, inner]) => [name, comparable(inner)]))
}
