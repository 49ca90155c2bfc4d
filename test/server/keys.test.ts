import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { makeBrief } from '../support/brief.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError, assertProvenanceError } from '../support/envelope.ts'
import { type Answer, storagesOfBehaviour, useServer } from '../support/server.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const keys = `${host}/keys`
const entries = `${host}/memory/notes/entries`
const soon = () => new Date(Date.now() + 3_600_000).toISOString()

for (const storage of storagesOfBehaviour) {
  describe(storage, () => {
    const server = useServer({ storage })

    test('a key is allowed what its scopes name and nothing else; the error names the missing scope', async () => {
      const { call } = await server.tenant()
      const needs: readonly (readonly [scope: string, method: string, path: string, body?: unknown])[] = [
        ['memory:read', 'GET', `${host}/memory`],
        ['memory:read', 'GET', entries],
        ['memory:read', 'GET', '/v1/memory/notes'],
        ['memory:read', 'GET', `${entries}/none/colophon`],
        ['memory:write', 'POST', entries, { content: 'tea' }],
        ['memory:write', 'POST', `${entries}:batch`, { entries: [{ content: 'tea' }] }],
        ['memory:delete', 'DELETE', `${entries}/none`],
        ['keys:manage', 'GET', keys],
        ['keys:manage', 'POST', keys, { name: 'more', scopes: ['keys:manage'] }],
        ['memory:admin', 'GET', `${host}/secrets`],
        ['memory:admin', 'GET', `${host}/rules`],
        ['memory:admin', 'POST', `${host}/rules:test`, { text: 'tea' }],
        ['memory:admin', 'PATCH', '/v1/tenant/settings', {}],
        ['audit:read', 'GET', `${host}/audit`],
        ['audit:read', 'GET', '/v1/audit/verify'],
      ]
      for (const scope of new Set(needs.map(([needed]) => needed))) {
        const { key } = (await call('POST', keys, { name: scope, scopes: [scope] })).body
        for (const [needed, method, path, body] of needs) {
          const answer = await server.as(key)(method, path, body)
          if (needed === scope) assert.notEqual(answer.status, 403, `${scope} ${method} ${path}`)
          else if (path.startsWith('/v1/tenant')) assertProvenanceError(answer, 403, 'forbidden')
          else assertError(answer, 403, 'forbidden')
          if (needed !== scope) assert.equal(answer.body.details.requiredScope, needed, `${method} ${path}`)
        }
      }
    })

    test('a stream needs its scope', async () => {
      const { call } = await server.tenant()
      const { key } = (await call('POST', keys, { name: 'writer', scopes: ['memory:write'] })).body
      assertError(await server.as(key)('GET', `${host}/changes`), 403, 'forbidden')
    })

    test('a rotated key and its successor both work during the overlap, then only the new one', async () => {
      const { call } = await server.tenant()
      const read = async (key: string) => server.as(key)('GET', entries)
      const { old, next } = await makeBrief(async (end) => {
        const old = (await call('POST', keys, { name: 'service', scopes: ['memory:read'] })).body
        const next = await call('POST', `${keys}/${old.id}:rotate`, { overlapMs: end.getTime() - Date.now() })
        return (await read(old.key)).status === 200 ? { old, next } : null
      }, 1_000)
      assert.equal(next.status, 201)
      assert.notEqual(next.body.key, old.key)
      assert.deepEqual([next.body.name, next.body.scopes], ['service', ['memory:read']])
      assert.equal((await read(next.body.key)).status, 200)
      await eventually('the old key has ended', async () => (await read(old.key)).status === 401)
      assertError(await read(old.key), 401, 'key_revoked')
      assert.equal((await read(next.body.key)).status, 200)

      const last = (await call('POST', `${keys}/${next.body.id}:rotate`, {})).body
      assertError(await read(next.body.key), 401, 'key_revoked')
      assert.equal((await read(last.key)).status, 200)
      assertError(await call('POST', `${keys}/${old.id}:rotate`, {}), 404, 'not_found')
    })

    test('a successor does not live longer than its predecessor would have', async () => {
      const { call } = await server.tenant()
      const expiresAt = soon()
      const old = (await call('POST', keys, { name: 'guest', scopes: ['memory:read'], expiresAt })).body
      const next = (await call('POST', `${keys}/${old.id}:rotate`, {})).body
      assert.equal(next.expiresAt, expiresAt)
    })

    test('a key grants at most its own scopes and lifetime, when it creates and when it rotates', async () => {
      const { call } = await server.tenant()
      const expiresAt = soon()
      const scopes = ['memory:read', 'keys:manage']
      const manager = server.as((await call('POST', keys, { name: 'manager', scopes, expiresAt })).body.key)
      const strong = (await call('POST', keys, { name: 'strong', scopes: ['memory:write'], expiresAt })).body
      const lasting = (await call('POST', keys, { name: 'lasting', scopes: ['memory:read'] })).body
      const refusals = [
        await manager('POST', keys, { name: 'more', scopes: ['memory:read', 'memory:write'], expiresAt }),
        await manager('POST', `${keys}/${strong.id}:rotate`, {}),
        await manager('POST', keys, { name: 'longer', scopes, expiresAt: '2099-01-01T00:00:00Z' }),
        await manager('POST', `${keys}/${lasting.id}:rotate`, {}),
      ]
      for (const refusal of refusals) assertError(refusal, 403, 'forbidden')
      assert.deepEqual(
        refusals.map(({ body }) => body.details.requiredScope ?? body.details.max),
        ['memory:write', 'memory:write', expiresAt, expiresAt],
      )
      assert.equal((await server.as(strong.key)('POST', entries, { content: 'tea' })).status, 201)
      const made = await manager('POST', keys, { name: 'child', scopes })
      assert.deepEqual([made.status, made.body.scopes, made.body.expiresAt], [201, scopes, expiresAt])
    })

    test('a revoked or expired key cannot be rotated, with any idempotency key', async () => {
      const { call } = await server.tenant()
      const rotate = (id: string, key: string) =>
        call('POST', `${keys}/${id}:rotate`, { overlapMs: 3_600_000 }, { 'idempotency-key': key })
      const leaked = (await call('POST', keys, { name: 'leaked', scopes: ['memory:read'] })).body
      assert.ok((await rotate(leaked.id, 'first')).body.key)
      const repeat = await rotate(leaked.id, 'first')
      assert.deepEqual([repeat.status, repeat.body.key], [201, undefined])
      await call('DELETE', `${keys}/${leaked.id}`)
      for (const key of ['first', 'second']) assertError(await rotate(leaked.id, key), 404, 'not_found')
    })

    test('keys are listed page by page', async () => {
      const { call } = await server.tenant()
      for (const name of ['b', 'c', 'd']) await call('POST', keys, { name, scopes: ['memory:read'] })
      const names: string[] = []
      for (let cursor = ''; ; ) {
        const { body } = await call('GET', `${keys}?limit=3${cursor}`)
        names.push(...body.keys.map(({ name }: { name: string }) => name))
        if (body.cursor === undefined) break
        cursor = `&cursor=${body.cursor}`
      }
      assert.deepEqual(names, ['first key', 'b', 'c', 'd'])
    })

    test('a list of keys shows when each key was last used, and never a key or its hash', async () => {
      const { call, key } = await server.tenant()
      const unused = (await call('POST', keys, { name: 'unused', scopes: ['memory:read'], expiresAt: soon() })).body
      const lastUse = async (name: string) => {
        const list = (await call('GET', keys)).body.keys as { name: string; lastUsedAt?: string }[]
        return list.find((shown) => shown.name === name)?.lastUsedAt
      }
      await eventually('the use was noted', async () => (await lastUse('first key')) !== undefined)
      assert.equal(await lastUse('unused'), undefined)
      await server.as(unused.key)('GET', entries)
      await eventually('the use was noted', async () => (await lastUse('unused')) !== undefined)
      const { text, body } = await call('GET', keys)
      for (const secret of [key, unused.key].map((made) => made.split('.')[2])) assert.ok(!text.includes(secret))
      const members = ['id', 'name', 'scopes', 'status', 'createdAt', 'expiresAt', 'lastUsedAt']
      for (const shown of body.keys)
        assert.deepEqual(
          Object.keys(shown).filter((name) => !members.includes(name)),
          [],
        )
    })

    test('a key that several callers revoke at once is revoked, and all of them succeed', async () => {
      const { call } = await server.tenant()
      const { id, key } = (await call('POST', keys, { name: 'leaked', scopes: ['memory:read'] })).body
      const answers = await Promise.all(Array.from({ length: 6 }, () => call('DELETE', `${keys}/${id}`)))
      for (const { status, body, text } of answers) assert.deepEqual([status, body.status], [200, 'revoked'], text)
      assertError(await server.as(key)('GET', entries), 401, 'key_revoked')
    })

    test('invalid keys are refused', async () => {
      const { call } = await server.tenant()
      const refused = async (body: unknown): Promise<Answer> => call('POST', keys, body)
      const good = { name: 'k', scopes: ['memory:read'] }
      for (const wrong of [
        { scopes: [] },
        { scopes: ['memory:all'] },
        { name: '' },
        { name: 'x'.repeat(129) },
        { name: 'a\nb' },
      ]) {
        assertError(await refused({ ...good, ...wrong }), 400, 'validation_error')
      }
      for (const expiresAt of ['2020-01-01T00:00:00Z', 'tomorrow', '2030-01-01']) {
        assertError(await refused({ ...good, expiresAt }), 400, 'validation_error')
      }
      assertError(await refused({ ...good, tenantId: 'default' }), 400, 'validation_error')
      assertError(await call('POST', `${keys}/none:rotate`, { overlapMs: 8 * 24 * 3_600_000 }), 400, 'validation_error')
      assertError(await call('DELETE', `${keys}/none`), 404, 'not_found')
    })
  })
}
