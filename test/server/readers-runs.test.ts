import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { scopes } from '../../src/core/access/scopes.ts'
import { connectHttp } from '../mcp/connect.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Call, storagesOfBehaviour, useServer } from '../support/server.ts'
import { openChanges } from '../support/sse.ts'
import { chain, ended, gate, put, register, startRun, startWaiting, waiting } from './runs-calls.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const keys = `${host}/keys`
const entriesOf = (ref: string) => `${host}/memory/${ref}/entries`
const contents = (page: { entries: { content: string }[] }) => page.entries.map(({ content }) => content)

const list = (into = 'seen') => ({ id: 'read', typeId: 'colophon.memory.list', config: { memoryRef: 'notes', into } })
const copy = (readers?: readonly string[]) => ({
  ...put('copy', 'Read: {{variables.seen.0.content}}', 'copies'),
  config: { memoryRef: 'copies', content: 'Read: {{variables.seen.0.content}}', ...(readers && { readers }) },
})
const variables = [{ name: 'seen', type: 'array' }]

for (const storage of storagesOfBehaviour) {
  describe(storage, () => {
    const server = useServer({ storage })
    const bind = async (call: Call, reader: string) => {
      const { key } = (await call('POST', keys, { name: reader, scopes, reader })).body
      return { key: key as string, as: server.as(key) }
    }

    test('a run reads for its reader, and what it writes has the readers of what it read', async () => {
      const { call } = await server.tenant()
      await register(call, chain('copy', [list(), copy()], { variables }))
      await call('POST', entriesOf('notes'), { content: 'For all.' })
      await call('POST', entriesOf('notes'), { content: 'For Ana and Ben.', readers: ['ana', 'ben'] })
      await call('POST', entriesOf('notes'), { content: 'For Ben.', readers: ['ben'] })
      const { as: ana } = await bind(call, 'ana')
      const { as: ben } = await bind(call, 'ben')
      const { as: cleo } = await bind(call, 'cleo')
      const runId = await startRun(ana, 'copy')
      const run = await ended(ana, runId)
      assert.equal(run.status, 'completed')
      assert.deepEqual(contents({ entries: run.variables.seen }), ['For Ana and Ben.', 'For all.'])
      assert.deepEqual(contents((await ben('GET', entriesOf('copies'))).body), ['Read: For Ana and Ben.'])
      assert.deepEqual(contents((await cleo('GET', entriesOf('copies'))).body), [])
      // Its values, its log and its reads are for its reader.
      for (const path of [
        `/v1/runs/${runId}`,
        `${host}/runs/${runId}/reads`,
        `/v1/runs/${runId}/events/poll?timeout=0`,
      ]) {
        assert.equal((await ana('GET', path)).status, 200, path)
        assertError(await ben('GET', path), 404, 'not_found')
      }
      assert.equal((await call('GET', `${host}/runs/${runId}/reads`)).body.reader, 'ana')
      assert.equal((await ana('GET', `${host}/runs`)).body.runs.length, 1)
      assert.equal((await ben('GET', `${host}/runs`)).body.runs.length, 0)
      assert.equal((await call('GET', `${host}/runs`)).body.runs.length, 1)
      assert.equal((await ben('GET', entriesOf('runs%3Acopy'))).body.entries.length, 0)
      // A run of another reader reads only what is for all, and writes for all.
      const other = await ended(call, await startRun(call, 'copy', { reader: 'cleo' }))
      assert.deepEqual(contents({ entries: other.variables.seen }), ['For all.'])
      assert.deepEqual(contents((await cleo('GET', entriesOf('copies'))).body), ['Read: For all.'])
      const fork = await ana('POST', `/v1/runs/${runId}:fork`, { mode: 'replay' })
      assert.equal((await ended(ana, fork.body.runId)).status, 'completed')
      assertError(await ben('POST', `/v1/runs/${runId}:fork`, { mode: 'replay' }), 404, 'not_found')
    })

    test('a node names fewer readers than those of what the run read, and no others', async () => {
      const { call } = await server.tenant()
      await register(call, chain('copy', [list(), copy(['ben', 'cleo'])], { variables }))
      await call('POST', entriesOf('notes'), { content: 'For Ana and Ben.', readers: ['ana', 'ben'] })
      await ended(call, await startRun(call, 'copy'))
      const [entry] = (await call('GET', entriesOf('copies'))).body.entries
      assert.deepEqual((await call('GET', `${entriesOf('copies')}/${entry.id}/colophon`)).body.readers, ['ben'])
    })

    test('what a run writes is hidden from those who have lost what it, its parent or its child read before', async () => {
      const { call } = await server.tenant()
      const { id } = (await call('POST', entriesOf('notes'), { content: 'Salary.' })).body
      const sub = (workflowId: string, config: object = {}) => ({
        id: 'sub',
        typeId: 'core.subWorkflow',
        config: { workflowId, ...config },
      })
      await register(call, chain('own', [list(), gate(), copy()], { variables }))
      await register(call, chain('reads', [list()], { variables }))
      await register(call, chain('after', [sub('reads'), gate(), put('copy', 'Of a child.', 'copies')]))
      await register(call, chain('writes', [gate(), put('copy', '{{inputs.text}}', 'copies')]))
      const detached = { waitForCompletion: false, inputMapping: { text: 'Of a parent: {{variables.seen.0.content}}' } }
      await register(call, chain('before', [list(), sub('writes', detached)], { variables }))
      const [own, after] = [await startWaiting(call, 'own'), await startWaiting(call, 'after')]
      await ended(call, await startRun(call, 'before'))
      const runs = (await call('GET', `${host}/runs`)).body.runs as { runId: string; workflowId: string }[]
      const child = runs.find(({ workflowId }) => workflowId === 'writes')?.runId ?? ''
      await waiting(call, child)
      const branch = (await call('POST', `/v1/runs/${child}:fork`, { mode: 'branch', fromSeq: 1 })).body.runId
      await waiting(call, branch)
      assert.equal((await call('PATCH', `${entriesOf('notes')}/${id}`, { readers: ['ana'] })).status, 200)
      for (const runId of [own, after, child, branch]) {
        await call('POST', `/v1/runs/${runId}/interrupts/gate`, { resumeValue: { action: 'accept' } })
        assert.equal((await ended(call, runId)).status, 'completed')
      }
      const shown = async (reader: string) =>
        contents((await call('GET', `${entriesOf('copies')}?reader=${reader}`)).body).sort()
      const parents = Array(2).fill('Of a parent: Salary.')
      assert.deepEqual(await shown('ana'), ['Of a child.', ...parents, 'Read: Salary.'])
      assert.deepEqual(await shown('ben'), [])
      const replay = (await call('POST', `/v1/runs/${own}:fork`, { mode: 'replay' })).body.runId
      assert.equal((await ended(call, replay)).status, 'completed')
      assert.equal((await shown('ana')).length, 4)
    })

    test('a compaction combines entries of the same readers; a summary loses the readers that a source loses', async () => {
      const { call } = await server.tenant()
      for (const readers of [null, ['ana', 'ben'], null, ['ana', 'ben']])
        await call('POST', entriesOf('notes'), { content: `Tea ${JSON.stringify(readers)} at noon.`, readers })
      const [source] = (await call('GET', entriesOf('notes'))).body.entries
      const started = await call('POST', `${host}/compactions`, { memoryRef: 'notes' })
      assert.equal(started.status, 202)
      const shown = async (reader: string) => (await call('GET', `${entriesOf('notes')}?reader=${reader}`)).body.entries
      for (const until = Date.now() + 60_000; (await shown('ana')).length !== 2 && Date.now() < until; );
      assert.deepEqual([(await shown('ana')).length, (await shown('cleo')).length], [2, 1])
      const changed = await call('PATCH', `/v1/memories/${source.id}`, { readers: ['ana'] })
      assert.equal(changed.status, 200, changed.text)
      assert.deepEqual([(await shown('ana')).length, (await shown('ben')).length], [2, 1])
    })

    test('the stream of changes for a reader leaves out entries that it cannot see', async () => {
      const { call } = await server.tenant()
      const { key } = await bind(call, 'ana')
      const ids: string[] = []
      for (const readers of [null, ['ben'], ['ana']])
        ids.push((await call('POST', entriesOf('notes'), { content: 'x', readers })).body.id)
      await using stream = await openChanges(server.url, key, { after: 0 })
      await stream.until('past changes', (events) => events.length >= 2)
      const drafts = [{ content: 'hidden', readers: [] }, { content: 'shown' }]
      const { entries } = (await call('POST', `${entriesOf('notes')}:batch`, { entries: drafts })).body
      await stream.until('live changes', (events) => events.length >= 3)
      assert.deepEqual(
        stream.events.map(({ data }) => data.entryIds),
        [[ids[0]], [ids[2]], [entries[1].id]],
      )
    })

    test('the header names the reader of any request, and MCP passes its reader on', async () => {
      const { call, key } = await server.tenant()
      const { id } = (await call('POST', entriesOf('notes'), { content: 'For Ana.', readers: ['ana é'] })).body
      const header = (reader: string) => ({ 'colophon-reader': encodeURIComponent(reader) })
      assert.equal((await call('GET', `${entriesOf('notes')}/${id}`, undefined, header('ana é'))).status, 200)
      assertError(await call('GET', `${entriesOf('notes')}/${id}`, undefined, header('ben')), 404, 'not_found')
      assert.deepEqual((await call('DELETE', `${entriesOf('notes')}/${id}`, undefined, header('ben'))).body, {
        deleted: false,
      })
      assertError(await call('GET', `${host}/export`, undefined, header('ben')), 403, 'reader_forbidden')
      assertError(await call('GET', `${host}/memory`, undefined, { 'colophon-reader': '%' }), 400, 'validation_error')
      const { as: ana } = await bind(call, 'ana é')
      assertError(await ana('GET', `${host}/memory`, undefined, header('ben')), 403, 'reader_forbidden')
      await using mcp = await connectHttp(server.url, key, { ref: 'notes', reader: 'ben', readers: 'ben' } as object)
      assert.match((await mcp.call('list')).text, /^There are no memories/)
      assert.ok((await mcp.call('get', { id })).isError)
      const refused = await mcp.call('remember', { content: 'For Ben.' })
      assert.match(refused.text, /writer_invalid.*colophon writers add/, 'a reader registers no writer')
      const service_key = /The writer "([^"]+)"/.exec(refused.text)?.[1]
      await call('POST', '/v1/tenant/service-writers', { service_key })
      const stored = await mcp.call('remember', { content: 'For Ben.' })
      assert.ok(!stored.isError, stored.text)
      assert.deepEqual(contents((await call('GET', `${entriesOf('notes')}?reader=ben`)).body), ['For Ben.'])
      assert.deepEqual(contents((await ana('GET', entriesOf('notes'))).body), ['For Ana.'])
    })
  })
}
