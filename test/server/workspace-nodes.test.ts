import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { scopes } from '../../src/core/access/scopes.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'
import { openChanges } from '../support/sse.ts'
import { accept } from './run-snapshot-calls.ts'
import { chain, ended, eventsOf, gate, put, register, startRun, startWaiting } from './runs-calls.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const urlOf = (path: string) => `/v1/host/workspace/files/${encodeURIComponent(path)}`

for (const storage of storagesOfBehaviour) {
  describe(`nodes of files and archives on ${storage}`, () => {
    const server = useServer({ storage })

    test('a run writes a file and does not see it; later runs do, and a replay writes nothing', async () => {
      const { call } = await server.tenant()
      const write = (id: string, content: string) => ({
        id,
        typeId: 'colophon.workspace.put',
        config: { path: 'notes/plan.md', content },
      })
      const read = { id: 'read', typeId: 'colophon.workspace.get', config: { path: 'notes/plan.md', into: 'plan' } }
      await register(call, chain('writing', [write('one', 'first'), write('two', 'second'), read]))
      const runId = await startRun(call, 'writing')
      const run = await ended(call, runId)
      assert.deepEqual([run.status, run.variables.plan], ['completed', null])
      const { events } = (await call('GET', `/v1/runs/${runId}/events/poll`)).body
      const updated = events.filter(({ type }: { type: string }) => type === 'workspace.updated')
      assert.deepEqual(
        updated.map(({ payload, nodeId }: { payload: object; nodeId: string }) => [nodeId, payload]),
        [
          ['one', { path: 'notes/plan.md', version: 1 }],
          ['two', { path: 'notes/plan.md', version: 2 }],
        ],
      )
      assert.equal((await call('GET', urlOf('notes/plan.md'))).body.content, 'second')
      const forked = await call('POST', `/v1/runs/${runId}:fork`, { mode: 'replay', fromSeq: 0 })
      assert.equal(forked.status, 201, forked.text)
      assert.equal((await ended(call, forked.body.runId)).status, 'completed')
      assert.equal((await call('GET', urlOf('notes/plan.md'))).body.version, 2)
      assert.equal((await ended(call, await startRun(call, 'writing'))).variables.plan, 'second')
    })

    test('a run that has read what not everyone may read writes no file', async () => {
      const { call } = await server.tenant()
      await call('POST', `${host}/memory/notes/entries`, { content: 'For ana.', readers: ['ana'] })
      await register(
        call,
        chain('leaking', [
          { id: 'read', typeId: 'colophon.memory.list', config: { memoryRef: 'notes', into: 'found' } },
          {
            id: 'put',
            typeId: 'colophon.workspace.put',
            config: { path: 'a', content: '{{variables.found.0.content}}' },
          },
        ]),
      )
      const run = await ended(call, await startRun(call, 'leaking'))
      assert.deepEqual([run.status, run.error.code], ['failed', 'reader_forbidden'])
    })

    test('the memory index is written by the host only', async () => {
      const { call } = await server.tenant()
      const path = 'MEMORY-INDEX.json'
      for (const refused of [await call('PUT', urlOf(path), { content: '{}' }), await call('DELETE', urlOf(path))]) {
        assertError(refused, 400, 'validation_error')
        assert.equal(refused.body.details.field, 'path')
        assert.match(refused.body.message, /MEMORY-INDEX\.json/)
      }
      const write = { id: 'put', typeId: 'colophon.workspace.put', config: { path, content: '{}' } }
      await register(call, chain('posing', [write]))
      assert.equal((await ended(call, await startRun(call, 'posing'))).error?.code, 'validation_error')
      assert.equal((await call('GET', urlOf(path))).status, 404)
    })

    test('a run writes no file when readers were taken away after it read', async () => {
      const { call } = await server.tenant()
      const entry = await call('POST', `${host}/memory/notes/entries`, { content: 'For all, still.' })
      await call('PUT', urlOf('report.md'), { content: 'empty' })
      const read = { id: 'read', typeId: 'colophon.memory.list', config: { memoryRef: 'notes', into: 'found' } }
      const config = { path: 'report.md', content: '{{variables.found.0.content}}' }
      const write = { id: 'put', typeId: 'colophon.workspace.put', config }
      await register(call, chain('late', [read, gate('ask'), write]))
      const runId = await startWaiting(call, 'late')
      await call('PATCH', `${host}/memory/notes/entries/${entry.body.id}`, { readers: ['ana'] })
      await accept(call, runId, 'ask')
      assert.equal((await ended(call, runId)).error.code, 'reader_forbidden')
      assert.equal((await call('GET', urlOf('report.md'))).body.content, 'empty')
    })

    test('a run for a reader reads and writes no files, as the API refuses them', async () => {
      const { call } = await server.tenant()
      await call('PUT', urlOf('a.md'), { content: 'CANARY of the tenant' })
      const { key } = (await call('POST', `${host}/keys`, { name: 'ana', scopes, reader: 'ana' })).body
      const ana = server.as(key)
      assert.equal((await ana('GET', urlOf('a.md'))).status, 403)
      const memoryRef = 'workspace:default'
      const nodes = [
        { id: 'list', typeId: 'colophon.workspace.list', config: { into: 'paths' } },
        { id: 'entries', typeId: 'colophon.memory.list', config: { memoryRef, into: 'entries' } },
        { id: 'search', typeId: 'colophon.memory.search', config: { memoryRef, query: 'canary', into: 'found' } },
      ]
      await register(call, chain('reading', nodes))
      const read = await ended(ana, await startRun(ana, 'reading'))
      assert.equal(read.status, 'completed')
      assert.deepEqual(read.variables, { paths: [], entries: [], found: [] })
      const get = { id: 'get', typeId: 'colophon.workspace.get', config: { path: 'a.md', into: 'file' } }
      await register(call, chain('getting', [get]))
      assert.equal((await ended(ana, await startRun(ana, 'getting'))).error.code, 'reader_forbidden')
      assert.equal((await ended(call, await startRun(call, 'getting'))).variables.file, 'CANARY of the tenant')
      const own = await ended(call, await startRun(call, 'reading'))
      assert.deepEqual(own.variables.paths, ['a.md'])
      const write = { id: 'put', typeId: 'colophon.workspace.put', config: { path: 'a.md', content: 'by ana' } }
      await register(call, chain('writing-bound', [write]))
      assert.equal((await ended(ana, await startRun(ana, 'writing-bound'))).error.code, 'reader_forbidden')
      assert.equal((await call('GET', urlOf('a.md'))).body.version, 1)
    })

    test('a node that is not allowed to read a file fails with the reason; a PUT by a key gives the path back, also after a delete', async () => {
      const { call } = await server.tenant()
      const path = 'notes/plan.md'
      const write = { id: 'put', typeId: 'colophon.workspace.put', config: { path, content: 'from a web page' } }
      const read = { id: 'get', typeId: 'colophon.workspace.get', config: { path, into: 'plan' } }
      await register(call, chain('writing', [write]))
      await register(call, chain('reading', [read]))
      const spoil = async () => {
        assert.equal((await ended(call, await startRun(call, 'writing', { trust: 'untrusted' }))).status, 'completed')
        const runId = await startRun(call, 'reading')
        const { status, error } = await ended(call, runId)
        assert.deepEqual([status, error.code], ['failed', 'workspace_file_untrusted'])
        assert.doesNotMatch(JSON.stringify(error), /plan\.md|web page/)
        return runId
      }
      const plan = async () => (await ended(call, await startRun(call, 'reading'))).variables.plan
      assert.equal(await plan(), null, 'there is no such file yet')
      await call('PUT', urlOf(path), { content: 'of a person' })
      const spoilt = await spoil()
      await call('PUT', urlOf(path), { content: 'replaced by a person' })
      assert.equal(await plan(), 'replaced by a person')
      await spoil()
      await call('DELETE', urlOf(path))
      assert.equal(await plan(), null)
      await call('PUT', urlOf(path), { content: 'created again' })
      assert.equal(await plan(), 'created again')
      // What a run that was not given the text writes over it is its own.
      await spoil()
      assert.equal((await ended(call, await startRun(call, 'writing'))).status, 'completed')
      assert.equal(await plan(), 'from a web page')
      // The history keeps its classes: a replay of the run that was refused is refused again.
      const forked = await call('POST', `/v1/runs/${spoilt}:fork`, { mode: 'replay', fromSeq: 0 })
      assert.equal((await ended(call, forked.body.runId)).error.code, 'workspace_file_untrusted')
    })

    test('a node with a lower floor reads an untrusted file, and what the run writes is untrusted', async () => {
      const { call } = await server.tenant()
      const put = (path: string) => ({ id: path, typeId: 'colophon.workspace.put', config: { path, content: path } })
      const read = (path: string, floor = {}) => ({
        id: `get-${path}`,
        typeId: 'colophon.workspace.get',
        config: { path, ...floor },
      })
      await register(call, chain('page', [put('a')]))
      await register(call, chain('copy', [read('a', { trustMin: 'untrusted' }), put('b')]))
      await register(call, chain('read-copy', [read('b')]))
      await ended(call, await startRun(call, 'page', { trust: 'untrusted' }))
      const copy = await ended(call, await startRun(call, 'copy'))
      assert.equal(copy.status, 'completed')
      const copied = await ended(call, await startRun(call, 'read-copy'))
      assert.equal(copied.error.code, 'workspace_file_untrusted')
    })

    test('a write of a client is in the stream of changes', async () => {
      const { call, key } = await server.tenant()
      await call('PUT', urlOf('a.md'), { content: 'one' })
      await using changes = await openChanges(server.url, key, { after: 0 })
      await changes.until('it is sent', (events) => events.length >= 1)
      const { data = {} } = changes.events.at(-1) ?? {}
      assert.deepEqual([data.kind, data.memoryRef], ['workspace.updated', 'workspace:default'])
    })

    test('a run distills within its budget, by a schedule too; a replay makes no archive', async () => {
      const { call } = await server.tenant()
      await call('POST', `${host}/memory/notes/entries`, { content: 'Ada likes tea.' })
      const node = {
        id: 'd',
        typeId: 'colophon.memory.distill',
        config: { memoryRef: 'notes', tokenBudget: 500, into: 'arc' },
      }
      const document = chain('distilling', [node])
      const triggers = [{ id: 'soon', type: 'schedule', config: { delayMs: 50 }, enabled: true }]
      await register(call, { ...document, triggers })
      await eventually('the schedule has distilled', async () => {
        const { distillations } = (await call('GET', `${host}/distillations`)).body
        return distillations.length === 1
      })
      const runId = await startRun(call, 'distilling')
      const run = await ended(call, runId)
      const archive = await call('GET', `${host}/memory/notes/entries/${run.variables.arc}`)
      assert.equal(archive.body.content, 'Ada likes tea.')
      const forked = await call('POST', `/v1/runs/${runId}:fork`, { mode: 'replay', fromSeq: 0 })
      assert.deepEqual((await ended(call, forked.body.runId)).variables, run.variables)
      assert.equal((await call('GET', `${host}/distillations`)).body.distillations.length, 1)
      const small = { workflowId: 'distilling', configurable: { 'distillation.tokenBudget': 3 } }
      const failed = await ended(call, (await call('POST', '/v1/runs', small)).body.runId)
      assert.deepEqual([failed.status, failed.error.code], ['failed', 'token_budget_exceeded'])
    })

    test('what the distill node of a run writes is in the log of that run, with the node, and names the run', async () => {
      const { call } = await server.tenant()
      await call('POST', `${host}/memory/notes/entries`, { content: 'Ada likes tea.' })
      const node = { id: 'd', typeId: 'colophon.memory.distill', config: { memoryRef: 'notes', into: 'arc' } }
      await register(call, chain('distilling', [put('keep', 'Before it.'), node, put('more', 'After it.')]))
      const runId = await startRun(call, 'distilling')
      const run = await ended(call, runId)
      const archiveId = run.variables.arc as string
      const logOf = async (id: string) =>
        (await eventsOf(call, id)).filter(
          ({ type }) => /^(?:memory|workspace)\./.test(type) || type.startsWith('node.'),
        )
      const log = await logOf(runId)
      assert.deepEqual(
        log.filter(({ nodeId }) => nodeId === 'd').map(({ type }) => type),
        ['node.started', 'memory.written', 'workspace.updated', 'memory.compacted', 'node.completed'],
      )
      const [written, file, compacted] = log.filter(({ type, nodeId }) => nodeId === 'd' && !type.startsWith('node.'))
      assert.deepEqual([written?.payload.memoryId, written?.payload.nodeId], [archiveId, 'd'])
      assert.equal(file?.payload.path, 'MEMORY-INDEX.json')
      assert.deepEqual([compacted?.payload.outputId, compacted?.payload.trigger], [archiveId, 'host-managed'])
      const [made] = (await call('GET', `${host}/distillations`)).body.distillations
      assert.deepEqual([made.archiveId, made.runId], [archiveId, runId])
      const entry = `${host}/memory/${encodeURIComponent(written?.payload.memoryRef as string)}/entries/${archiveId}`
      const { story } = (await call('GET', `${entry}/colophon`)).body
      assert.ok(JSON.stringify(story).includes(runId), 'the archive names the run')
      // A run that finds the same archive has written nothing; nor has a replay, which repeats the events.
      const same = chain('again', [{ ...node, config: { memoryRef: 'other', into: 'arc' } }])
      await call('POST', `${host}/memory/other/entries`, { content: 'Grace likes coffee.' })
      await register(call, same)
      const first = await startRun(call, 'again')
      await ended(call, first)
      const next = await startRun(call, 'again')
      await ended(call, next)
      const writes = async (id: string) =>
        (await eventsOf(call, id)).filter(({ type, nodeId }) => type === 'memory.written' && nodeId === 'd')
      assert.deepEqual([(await writes(first)).length, (await writes(next)).length], [1, 0])
      const replay = await call('POST', `/v1/runs/${runId}:fork`, { mode: 'replay', fromSeq: 0 })
      await ended(call, replay.body.runId)
      assert.deepEqual(
        (await logOf(replay.body.runId)).map(({ type, nodeId, payload }) => [type, nodeId, payload]),
        log.map(({ type, nodeId, payload }) => [type, nodeId, payload]),
      )
      const maintenance = (await call('GET', `${host}/runs?workflowId=colophon.maintenance`)).body.runs
      assert.deepEqual(maintenance, [], 'no run of its own')
    })

    test('runs that distill at once, one of them cancelled, all are in the index, and each log has its archive once', async () => {
      const { call } = await server.tenant()
      const refs = Array.from({ length: 8 }, (_, n) => `notes-${n}`)
      for (const ref of refs) {
        await call('POST', `${host}/memory/${ref}/entries`, { content: `About ${ref}.` })
        const node = { id: 'd', typeId: 'colophon.memory.distill', config: { memoryRef: ref, into: 'arc' } }
        await register(call, chain(`of-${ref}`, [node]))
      }
      const runs = await Promise.all(refs.map((ref) => startRun(call, `of-${ref}`)))
      await call('POST', `/v1/runs/${runs[3]}/cancel`)
      const made: string[] = []
      for (const runId of runs) {
        const { status, variables } = await ended(call, runId)
        const written = (await eventsOf(call, runId)).filter(({ type }) => type === 'memory.written')
        const archives = written.filter(({ nodeId }) => nodeId === 'd').map(({ payload }) => payload.memoryId as string)
        assert.equal(archives.length, status === 'cancelled' ? archives.length : 1)
        if (status === 'completed') assert.deepEqual(archives, [variables.arc])
        made.push(...archives)
      }
      const { distillations } = (await call('GET', `${host}/distillations`)).body
      assert.deepEqual(distillations.map(({ archiveId }: { archiveId: string }) => archiveId).sort(), made.sort())
      const index = (await call('GET', urlOf('MEMORY-INDEX.json'))).body.content as string
      for (const archiveId of made) assert.ok(index.includes(archiveId), archiveId)
    })

    test('the next run sees the index of a distillation, a waiting one does not', async () => {
      const { call } = await server.tenant()
      await call('POST', `${host}/memory/notes/entries`, { content: 'Ada likes tea.' })
      const read = {
        id: 'read',
        typeId: 'colophon.workspace.get',
        config: { path: 'MEMORY-INDEX.json', into: 'index' },
      }
      await register(call, chain('indexed', [gate('ask'), read]))
      const waiting = await startWaiting(call, 'indexed')
      const { body } = await call('POST', `${host}/distillations`, { memoryRef: 'notes' })
      const get = async () => (await call('GET', `${host}/distillations/${body.id}`)).body
      await eventually('it is made', async () => (await get()).status === 'completed')
      const next = await startWaiting(call, 'indexed')
      for (const runId of [waiting, next]) await accept(call, runId, 'ask')
      assert.equal((await ended(call, waiting)).variables.index, null)
      assert.match((await ended(call, next)).variables.index, new RegExp((await get()).archiveId))
    })
  })
}
