import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { limits } from '../../src/core/limits.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Call, storagesOfBehaviour, useServer } from '../support/server.ts'
import { accept } from './run-snapshot-calls.ts'
import { chain, ended, gate, register, type Snapshot, startRun, startWaiting } from './runs-calls.ts'

after(releaseServer)

const files = '/v1/host/workspace/files'
const host = '/v1/host/colophon'
const urlOf = (path: string) => `${files}/${encodeURIComponent(path)}`
const put = (call: Call, path: string, content: string, headers: Record<string, string> = {}) =>
  call('PUT', urlOf(path), { content }, headers)

for (const storage of storagesOfBehaviour) {
  describe(`workspace files on ${storage}`, () => {
    const server = useServer({ storage })

    test('a file has versions, which stay readable until it is deleted', async () => {
      const { call } = await server.tenant()
      for (const n of [1, 2, 3]) assert.equal((await put(call, 'notes/a.md', `text ${n}`)).body.version, n)
      await put(call, 'b.txt', 'b')
      const { body } = await call('GET', files)
      assert.deepEqual(
        body.files.map(({ path, version, content }: Record<string, unknown>) => [path, version, content]),
        [
          ['b.txt', 1, undefined],
          ['notes/a.md', 3, undefined],
        ],
      )
      assert.deepEqual((await call('GET', `${files}?prefix=notes/`)).body.files.length, 1)
      assert.equal((await call('GET', `${urlOf('notes/a.md')}?version=2`)).body.content, 'text 2')
      assertError(await call('GET', `${urlOf('notes/a.md')}?version=4`), 404, 'not_found')
      assert.equal((await call('GET', `${files}/notes/a.md`)).body.content, 'text 3')
      assert.equal((await call('GET', urlOf('b.txt'))).body.content, 'b')
      assert.equal((await call('DELETE', urlOf('notes/a.md'))).status, 204)
      assertError(await call('DELETE', urlOf('notes/a.md')), 404, 'not_found')
      assert.equal((await put(call, 'notes/a.md', 'again')).body.version, 1)
      assertError(await call('GET', `${urlOf('notes/a.md')}?version=2`), 404, 'not_found')
    })

    test('If-Match stores exactly one of several writes, and a retry gets its first response', async () => {
      const { call } = await server.tenant()
      assertError(await put(call, 'a', 'x', { 'if-match': '*' }), 409, 'workspace_conflict')
      const { etag } = (await put(call, 'a', 'one')).body
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => put(call, 'a', `race ${n}`, { 'if-match': `"${etag}"` })),
      )
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409, 409, 409])
      for (const { status, body } of answers) if (status === 409) assert.equal(body.details.currentVersion, 2)
      const current = (await call('GET', urlOf('a'))).body
      const keyed = { 'if-match': current.etag, 'idempotency-key': 'k1' }
      const first = await put(call, 'a', 'three', keyed)
      const again = await put(call, 'a', 'three', keyed)
      assert.deepEqual([first.body.version, again.body], [3, first.body])
      assert.equal(again.headers.get('idempotent-replay'), 'true')
    })

    test('bad paths, types and sizes are refused with a code, and store nothing', async () => {
      const { call } = await server.tenant()
      for (const path of ['a/../b', '.hidden', 'a b', 'ä', 'x'.repeat(300)])
        assertError(await put(call, path, 'x'), 400, 'validation_error')
      for (const content of ['', 'a\ud800b', 'a\u0000b'])
        assertError(await put(call, 'a', content), 400, 'validation_error')
      const large = 'x'.repeat(limits.workspaceFileBytesMax + 1)
      assertError(await put(call, 'large', large), 413, 'workspace_too_large')
      const typed = await call('PUT', urlOf('a'), { content: 'x', contentType: 'no type' })
      assertError(typed, 400, 'validation_error')
      assertError(await call('PUT', urlOf('a'), { content: 'x', version: 3 }), 400, 'validation_error')
      assert.deepEqual((await call('GET', files)).body, { files: [] })
      const write = { content: 'posing as a file', tags: ['a'] }
      assertError(await call('POST', `${host}/memory/workspace%3Adefault/entries`, write), 400, 'validation_error')
    })

    test('secrets are redacted in a file and refused in its path', async () => {
      const { call } = await server.tenant()
      const value = 'orchid-Tango-9917-Kestrel'
      await call('PUT', `${host}/secrets/door`, { value })
      assert.equal((await put(call, 'a', `the code is ${value}`)).body.content, 'the code is [REDACTED:door]')
      assertError(await put(call, `notes/${value}`, 'x'), 422, 'secret_leakage')
    })

    test('another tenant sees no file, and a key without the scope is refused by its name', async () => {
      const { call } = await server.tenant()
      await put(call, 'a', 'mine')
      const other = await server.tenant()
      assertError(await other.call('GET', urlOf('a')), 404, 'not_found')
      assert.deepEqual((await other.call('GET', files)).body, { files: [] })
      const made = await call('POST', `${host}/keys`, { name: 'reader', scopes: ['workspace:read'] })
      const reader = server.as(made.body.key)
      assert.equal((await reader('GET', urlOf('a'))).body.content, 'mine')
      const refused = await put(reader, 'a', 'x')
      assertError(refused, 403, 'forbidden')
      assert.equal(refused.body.details.requiredScope, 'workspace:write')
    })

    test('a run sees the files of its beginning, a later run the new ones, and a replay the same again', async () => {
      const { call } = await server.tenant()
      await put(call, 'plan.md', 'first')
      await register(
        call,
        chain('reading', [
          gate('ask'),
          { id: 'read', typeId: 'colophon.workspace.get', config: { path: 'plan.md', into: 'plan' } },
          { id: 'list', typeId: 'colophon.workspace.list', config: { into: 'paths' } },
        ]),
      )
      const runId = await startWaiting(call, 'reading')
      await put(call, 'plan.md', 'second')
      await put(call, 'other.md', 'new')
      await accept(call, runId, 'ask')
      const seen = await ended(call, runId)
      assert.deepEqual([seen.variables.plan, seen.variables.paths], ['first', ['plan.md']])
      assert.deepEqual(
        seen.workspace.map(({ path, version }: Snapshot) => [path, version]),
        [['plan.md', 1]],
      )
      const forked = await call('POST', `/v1/runs/${runId}:fork`, { mode: 'replay', fromSeq: 0 })
      assert.deepEqual((await ended(call, forked.body.runId)).variables, seen.variables)
      const next = await startWaiting(call, 'reading')
      await accept(call, next, 'ask')
      const later = await ended(call, next)
      assert.deepEqual([later.variables.plan, later.variables.paths], ['second', ['other.md', 'plan.md']])
    })

    test('the routes of memory show, change and delete no file', async () => {
      const { call } = await server.tenant()
      await put(call, 'a', 'the file')
      const { position } = (await call('GET', `${host}/memory/notes/entries`)).body
      const { body } = await call('GET', `${host}/audit?limit=500`)
      const id = /wsf_[\w-]+/.exec(JSON.stringify(body))?.[0] ?? ''
      assert.ok(id !== '' && position > 0)
      const ref = `${host}/memory/workspace%3Adefault`
      assert.deepEqual((await call('GET', `${ref}/entries`)).body.entries, [])
      assertError(await call('GET', `${ref}/entries/${id}`), 404, 'not_found')
      assert.deepEqual((await call('POST', `${ref}/search`, { query: 'file' })).body.results, [])
      assert.deepEqual((await call('DELETE', `${ref}/entries/${id}`)).body, { deleted: false })
      assert.equal((await call('GET', `/v1/memories/${id}`)).status, 404)
      assert.equal((await call('PATCH', `/v1/memories/${id}`, { content: 'changed' })).status, 404)
      assert.equal((await call('DELETE', `/v1/memories/${id}`)).status, 404)
      assert.equal((await call('GET', urlOf('a'))).body.content, 'the file')
      const made = await call('POST', `${host}/keys`, { name: 'r', scopes: ['runs:read', 'memory:read'] })
      await register(call, chain('only', [gate('ask')]))
      const runId = await startWaiting(call, 'only')
      assert.equal((await server.as(made.body.key)('GET', `/v1/runs/${runId}`)).body.workspace, undefined)
    })

    test('a node writes no file through memory, and compaction leaves files alone', async () => {
      const { call } = await server.tenant()
      await put(call, 'a', 'one')
      await register(
        call,
        chain('posing', [
          { id: 'put', typeId: 'colophon.memory.put', config: { memoryRef: 'workspace:default', content: 'x' } },
        ]),
      )
      assert.equal((await ended(call, await startRun(call, 'posing'))).status, 'failed')
      const compaction = { memoryRef: 'workspace:default' }
      assertError(await call('POST', `${host}/compactions`, compaction), 400, 'validation_error')
    })

    test('an imported file is found by its path, and changed and deleted like any other', async () => {
      const { call } = await server.tenant()
      await put(call, 'notes/a.md', 'first')
      await put(call, 'notes/a.md', 'second')
      const exported = (await call('GET', `${host}/export`)).text
      const other = (await server.tenant()).call
      await other('POST', `${host}/import`, exported, { 'content-type': 'application/x-ndjson' })
      assert.equal((await other('GET', urlOf('notes/a.md'))).body.content, 'second')
      assert.equal((await other('GET', `${urlOf('notes/a.md')}?version=1`)).body.content, 'first')
      assert.equal((await put(other, 'notes/a.md', 'third')).body.version, 3)
      assert.equal((await other('GET', '/v1/host/workspace/files')).body.files.length, 1)
      assert.equal((await other('DELETE', urlOf('notes/a.md'))).status, 204)
      assertError(await other('GET', urlOf('notes/a.md')), 404, 'not_found')
    })

    test('forgetting the workspace erases every version, and the audit stays valid', async () => {
      const { call } = await server.tenant()
      await put(call, 'a', 'to be erased')
      await put(call, 'a', 'to be erased too')
      const started = await call('POST', `${host}/forget`, { memoryRef: 'workspace:default', reason: 'test' })
      await eventually('the forget ends', async () => {
        return (await call('GET', `${host}/forget/${started.body.id}`)).body.status === 'completed'
      })
      assertError(await call('GET', urlOf('a')), 404, 'not_found')
      assert.equal((await call('GET', '/v1/audit/verify?contents=true')).body.chainValid, true)
      assert.equal((await put(call, 'a', 'new')).body.version, 1)
    })
  })
}
