import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { startServer, storagesOfBehaviour, useServer } from '../support/server.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const tenants = `${host}/tenants`
const operatorRoutes = [
  ['GET', tenants],
  ['POST', tenants, { id: 'taken-over' }],
  ['POST', `${tenants}/default:disable`],
  ['POST', `${tenants}/default:enable`],
] as const

for (const storage of storagesOfBehaviour) {
  describe(storage, () => {
    const server = useServer({ storage })

    test('only the operator key manages tenants; every other key is refused', async () => {
      const { call, key } = await server.tenant()
      for (const [method, path, body] of operatorRoutes) {
        for (const caller of [server.call, call, server.as(null), server.as(`${server.operatorKey}x`)]) {
          assertError(await caller(method, path, body), 401, 'unauthenticated')
        }
      }
      const { tenants: listed } = (await server.as(server.operatorKey)('GET', tenants)).body
      assert.ok(!JSON.stringify(listed).includes('taken-over'))
      assert.equal((await server.as(key)('GET', `${host}/memory`)).status, 200)
    })

    test('the operator key gives no access to a tenant', async () => {
      const operator = server.as(server.operatorKey)
      for (const path of [`${host}/memory`, `${host}/keys`, '/v1/audit/verify', `${host}/changes`]) {
        assertError(await operator('GET', path), 401, 'unauthenticated')
      }
    })

    test('a new tenant has a key with every scope; an id is used once', async () => {
      const { id, call } = await server.tenant()
      assert.equal((await call('POST', `${host}/memory/notes/entries`, { content: 'tea' })).status, 201)
      assert.equal((await call('GET', '/v1/audit/verify')).body.chainValid, true)
      const operator = server.as(server.operatorKey)
      assertError(await operator('POST', tenants, { id }), 409, 'already_exists')
      assertError(await operator('POST', tenants, { id: 'default' }), 409, 'already_exists')
      for (const wrong of ['', '../x', 'a b', 'x'.repeat(65), '.hidden', 'a\u0000b']) {
        assertError(await operator('POST', tenants, { id: wrong }), 400, 'validation_error')
      }
    })

    test('concurrent requests for the same new tenant make it once', async () => {
      const operator = server.as(server.operatorKey)
      const answers = await Promise.all([1, 2, 3, 4].map(() => operator('POST', tenants, { id: 'in-a-hurry' })))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409])
    })

    test('keys of a disabled tenant are refused until it is enabled again', async () => {
      const { id, call } = await server.tenant()
      const operator = server.as(server.operatorKey)
      await call('POST', `${host}/memory/notes/entries`, { content: 'tea' })
      const disabled = await operator('POST', `${tenants}/${id}:disable`)
      assert.deepEqual([disabled.status, disabled.body.id, disabled.body.status], [200, id, 'disabled'])
      for (const path of [`${host}/memory`, `${host}/keys`, '/nothing']) {
        assertError(await call('GET', path), 401, 'unauthenticated')
      }
      assertError(await call('POST', `${host}/memory/notes/entries`, { content: 'x' }), 401, 'unauthenticated')
      assert.equal((await operator('POST', `${tenants}/${id}:enable`)).body.status, 'active')
      const { entries } = (await call('GET', `${host}/memory/notes/entries`)).body
      assert.deepEqual(
        entries.map((entry: { content: string }) => entry.content),
        ['tea'],
      )
      assertError(await operator('POST', `${tenants}/nobody:disable`), 404, 'not_found')
    })

    test('the configured key of the tenant default is refused too when that tenant is disabled', async () => {
      await using own = await startServer({ storage })
      await own.as(own.operatorKey)('POST', `${tenants}/default:disable`)
      assertError(await own.call('GET', `${host}/memory`), 401, 'unauthenticated')
    })

    test('tenants are listed page by page, each once', async () => {
      await using own = await startServer({ storage })
      const made = ['default']
      for (let index = 0; index < 5; index++) made.push((await own.tenant()).id)
      const seen: string[] = []
      let cursor = ''
      do {
        const page = (await own.as(own.operatorKey)('GET', `${tenants}?limit=2${cursor}`)).body
        assert.ok(page.tenants.length <= 2)
        seen.push(...page.tenants.map((tenant: { id: string }) => tenant.id))
        cursor = page.cursor ? `&cursor=${encodeURIComponent(page.cursor)}` : ''
      } while (cursor)
      assert.deepEqual(seen.toSorted(), made.toSorted())
    })
  })
}

test('without a configured operator key no caller can manage tenants', async () => {
  await using server = await startServer({ env: { COLOPHON_OPERATOR_KEY: '' } })
  for (const key of [null, '', server.key, 'undefined', 'null']) {
    assertError(await server.as(key)('GET', tenants), 401, 'unauthenticated')
  }
})
