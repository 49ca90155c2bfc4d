import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'
import { chain, ended, host, register, startRun } from './runs-calls.ts'

after(releaseServer)

for (const storage of storagesOfBehaviour) {
  describe(`what used an entry, on ${storage}`, () => {
    const server = useServer({ storage })

    test('the runs that read an entry are listed with the version that they read, without its text', async () => {
      const { call } = await server.tenant()
      const entries = `${host}/memory/notes/entries`
      const first = (await call('POST', entries, { content: 'The door code is 4711.' })).body
      const other = (await call('POST', `${host}/memory/other/entries`, { content: 'Elsewhere.' })).body
      const recall = { id: 'recall', typeId: 'colophon.memory.list', config: { memoryRef: 'notes', into: 'found' } }
      await register(call, chain('reads', [recall]))
      const runId = await startRun(call, 'reads')
      await ended(call, runId)
      await call('PATCH', `${entries}/${first.id}`, { content: 'The door code is 4712.' })
      const answer = await call('GET', `${entries}/${first.id}/uses`)
      const [run, ...more] = answer.body.runs
      assert.deepEqual([run.runId, run.workflowId, run.nodeId, run.version, more], [runId, 'reads', 'recall', 1, []])
      assert.deepEqual([answer.body.isComplete, answer.body.derived], [true, []])
      assert.doesNotMatch(answer.text, /door code/)
      const then = await call('GET', `/v1/memories/${first.id}?as_of=${run.position}`)
      assert.equal(then.body.content, 'The door code is 4711.', 'its position leads to what the run saw')
      const unread = await call('GET', `${host}/memory/other/entries/${other.id}/uses`)
      assert.deepEqual(unread.body.runs, [])
      assert.equal((await call('GET', `${host}/memory/other/entries/${first.id}/uses`)).status, 404)
    })

    test('names of keys and runs are one request; what is unknown or not allowed is left out', async () => {
      const { call } = await server.tenant()
      const other = await server.tenant()
      const made = (await call('POST', `${host}/keys`, { name: 'dashboard', scopes: ['memory:read'] })).body
      await register(call, chain('greets', [{ id: 'one', typeId: 'core.noop' }]))
      const runId = await startRun(call, 'greets')
      const unknown = `key_${crypto.randomUUID()}`
      const ids = [made.id, runId, unknown, 'key_bootstrap', made.id]
      const names = async (as: typeof call) =>
        (await as('POST', `${host}/names`, { ids })).body.names.map(({ name }: { name: string }) => name)
      assert.deepEqual(await names(call), ['dashboard', 'greets', 'configured key'])
      assert.deepEqual(await names(server.as(made.key)), ['dashboard', 'configured key'], 'without runs:read')
      assert.deepEqual(await names(other.call), ['configured key'], 'another tenant')
      const draft = { name: 'bound', scopes: ['memory:read'], reader: 'ana' }
      const bound = server.as((await call('POST', `${host}/keys`, draft)).body.key)
      assert.deepEqual(await names(bound), ['configured key'], 'a reader sees its own keys')
      assert.equal((await call('POST', `${host}/names`, { ids: ['subject:ada'] })).status, 400)
    })

    test('a forget is named after the key that requested it, and is found by the subject that only a digest names', async () => {
      const { call } = await server.tenant()
      const draft = { name: 'privacy desk', scopes: ['memory:read', 'memory:admin'] }
      const made = (await call('POST', `${host}/keys`, draft)).body
      const desk = server.as(made.key)
      const forget = async (body: object) =>
        (await desk('POST', `${host}/forget`, { reason: 'on request', ...body })).body
      const [ada, bo] = [await forget({ subject: 'ada' }), await forget({ subject: 'bo' })]
      const byRef = await forget({ memoryRef: 'subject:ada' })
      const listed = async (query: string) =>
        (await desk('GET', `${host}/forget${query}`)).body.forgets.map(({ id }: { id: string }) => id)
      assert.deepEqual(await listed('?subject=ada'), [ada.id, byRef.id])
      const first = await desk('GET', `${host}/forget?subject=ada&limit=1`)
      assert.deepEqual([first.body.forgets.length, first.body.forgets[0].actor], [1, `key:${made.id}`])
      assert.deepEqual(await listed(`?subject=ada&limit=1&cursor=${first.body.cursor}`), [byRef.id])
      assert.deepEqual(await listed('?subject=grace'), [])
      assert.deepEqual(await listed(''), [ada.id, bo.id, byRef.id])
      const names = async (as: typeof call) =>
        (await as('POST', `${host}/names`, { ids: [bo.id] })).body.names.map(({ name }: { name: string }) => name)
      assert.deepEqual(await names(desk), ['privacy desk'])
      const reader = (await call('POST', `${host}/keys`, { name: 'reader', scopes: ['memory:read'] })).body
      assert.deepEqual(await names(server.as(reader.key)), [], 'without memory:admin')
    })

    test('a key learns its tenant, its name and its scopes, and a key from the configuration has no name', async () => {
      const { id, call } = await server.tenant()
      const made = (await call('POST', `${host}/keys`, { name: 'dashboard', scopes: ['memory:read'] })).body
      const session = (await server.as(made.key)('GET', `${host}/session`)).body
      assert.deepEqual(session, { tenant: id, keyId: made.id, name: 'dashboard', scopes: ['memory:read'] })
      const own = (await server.call('GET', `${host}/session`)).body
      assert.deepEqual([own.tenant, own.keyId, own.name], ['default', 'key_bootstrap', null])
    })
  })
}
