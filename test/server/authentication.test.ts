import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeBrief } from '../support/brief.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError, assertProvenanceError } from '../support/envelope.ts'
import {
  type Answer,
  randomKey,
  startServer,
  storagesOfBehaviour,
  type Tenant,
  type TestServer,
} from '../support/server.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const marker = 'CANARY-openwop-CONFORMANCE-NEVER-SECRET'

/** Keys that do not exist, in the shapes that the conformance suite plants; made here so that no scanner finds a literal. */
const canaries = [
  `sk-${marker}-oai9Lt7Nw2QrZ0aB8mYjPpQe`,
  `sk-ant-${marker}-ant3Ko0LqFqzv9Sb1J7mNcR`,
  `AIza${marker}Goog12345abcdef9876`,
  `${['eyJhbGciOiJIUzI1NiJ9', 'eyJjYW5hcnkiOnRydWV9'].join('.')}.${marker}-jwt-signature-xyz`,
  `cred_${marker}-OpaqueRefAlphaNumX9Y8Z7`,
]

function assertUnauthenticated(answer: Answer, code = 'unauthenticated'): void {
  assertError(answer, 401, code)
  assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/)
}

for (const storage of storagesOfBehaviour) {
  describe(storage, () => {
    let server: TestServer
    let tenant: Tenant
    before(async () => {
      server = await startServer({ storage })
      tenant = await server.tenant()
    })
    after(() => server[Symbol.asyncDispose]())

    test('a call without a key, or with a malformed one, gets 401 unauthenticated', async () => {
      assertUnauthenticated(await server.as(null)('GET', `${host}/memory`))
      const malformed = [
        '',
        'Bearer',
        'Bearer ',
        `Basic ${tenant.key}`,
        tenant.key,
        `Bearer a ${tenant.key}`,
        'Bearer \u00e4',
        `Bearer ${'x'.repeat(2_000)}`,
      ]
      for (const authorization of malformed) {
        assertUnauthenticated(await server.as(null)('GET', `${host}/memory`, undefined, { authorization }))
      }
    })

    test('unknown keys and wrong keys get the same response, and no response repeats the key', async () => {
      const [id = '', name = '', secret = ''] = tenant.key.split('.')
      const wrong = [...canaries, randomKey(), `${id}.${name}.${secret.slice(1)}A`, `${id}.nobody.${secret}`]
      wrong.push(tenant.key.toUpperCase(), `${tenant.key}=`, tenant.key.slice(0, -1))
      const answers = await Promise.all(wrong.map((key) => server.as(key)('GET', `${host}/memory`)))
      for (const [index, answer] of answers.entries()) {
        assertUnauthenticated(answer)
        const everything = answer.text + JSON.stringify([...answer.headers])
        assert.ok(!everything.includes(marker), everything)
        assert.ok(!everything.includes(wrong[index] ?? ''), everything)
        assert.equal(answer.body.message, answers[0]?.body.message, 'wrong keys can be distinguished')
      }
    })

    test('both authorization schemes work, in any letter case', async () => {
      for (const scheme of ['Bearer', 'ApiKey', 'bearer', 'apikey']) {
        const headers = { authorization: `${scheme} ${tenant.key}` }
        assert.equal((await server.as(null)('GET', `${host}/memory`, undefined, headers)).status, 200, scheme)
      }
    })

    test('a key does not work in the query, in the body or in another header', async () => {
      const other = {
        'x-api-key': tenant.key,
        cookie: `authorization=${tenant.key}`,
        'proxy-authorization': `Bearer ${tenant.key}`,
      }
      assertUnauthenticated(await server.as(null)('GET', `${host}/memory`, undefined, other))
      assertUnauthenticated(await server.as(null)('GET', `${host}/memory?key=${tenant.key}`))
      assertUnauthenticated(await server.as(null)('POST', `${host}/keys`, { key: tenant.key }))
    })

    test('a revoked key is refused at once, an expired one from its expiry instant on', async () => {
      const scopes = ['memory:read']
      const revoked = (await tenant.call('POST', `${host}/keys`, { name: 'to be revoked', scopes })).body
      assert.equal((await server.as(revoked.key)('GET', `${host}/memory`)).status, 200)
      assert.equal((await tenant.call('DELETE', `${host}/keys/${revoked.id}`)).body.status, 'revoked')
      assertUnauthenticated(await server.as(revoked.key)('GET', `${host}/memory`), 'key_revoked')

      const short = await makeBrief(async (expiresAt) => {
        const { key } = (await tenant.call('POST', `${host}/keys`, { name: 'short', scopes, expiresAt })).body
        return (await server.as(key)('GET', `${host}/memory`)).status === 200 ? { key, expiresAt } : null
      })
      await eventually(
        'it has expired',
        async () => (await server.as(short.key)('GET', `${host}/memory`)).status === 401,
      )
      assert.ok(Date.now() >= short.expiresAt.getTime(), 'it ended too early')
      assertUnauthenticated(await server.as(short.key)('GET', `${host}/memory`), 'key_expired')
    })

    test('without a key, existing and unknown resources get the same response, on every path', async () => {
      await tenant.call('POST', `${host}/memory/notes/entries`, { content: 'tea' })
      const { entries } = (await tenant.call('GET', `${host}/memory/notes/entries`)).body
      const paths = ['/nothing', '/v1', `${host}/memory`, `${host}/keys/none`, `${host}/memory/notes/entries:none`]
      paths.push(...['notes', 'none'].flatMap((ref) => [`/v1/memory/${ref}`, `${host}/memory/${ref}/entries`]))
      paths.push(...[entries[0].id, 'none'].map((id) => `${host}/memory/notes/entries/${id}`))
      paths.push(`${host}/changes`, '/v1/audit/verify', `${host}/tenants`, `${host}/memory/..%2f/entries`)
      for (const path of paths) {
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
          const answer = await server.as(null)(method, path, method === 'GET' ? undefined : { broken: true })
          assert.equal(answer.status, 401, `${method} ${path}: ${answer.text}`)
        }
      }
      for (const path of ['/v1/tenant/settings', '/v1/tenant/none', '/v1/memories', '/v1/memories/none']) {
        assertProvenanceError(await server.as(null)('GET', path), 401, 'unauthenticated')
      }
    })
  })
}
