import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { releaseServer } from '../support/databases.ts'
import { startServer, type Tenant, type TestServer } from '../support/server.ts'
import { isThorough } from '../support/thorough.ts'
import { anyCall, type Furnished, furnish, stateOf } from './tenant-calls.ts'

after(releaseServer)

const host = '/v1/host/colophon'

for (const storage of ['sqlite', 'postgres'] as const) {
  describe(storage, () => {
    let server: TestServer
    let own: Tenant
    let other: Tenant
    let theirs: Furnished
    before(async () => {
      server = await startServer({ storage })
      own = await server.tenant()
      other = await server.tenant()
      await furnish(own)
      theirs = await furnish(other)
    })
    after(() => server[Symbol.asyncDispose]())

    test('no call of a tenant reads, changes or breaks anything of another tenant', async () => {
      const before = await stateOf(other, theirs)
      const calls = fc.asyncProperty(anyCall(theirs), async ({ method, path, headers, body }) => {
        // A tenant sees again what it has sent itself, canaries too; only the other's contents it can never have sent.
        const { status, text } = await own.call(method, path, body, headers)
        assert.ok(status < 500, `${method} ${path} → ${status} ${text}`)
        assert.ok(!text.includes(`content ${theirs.canary}`), `${method} ${path} → ${text}`)
      })
      await fc.assert(calls, { numRuns: isThorough ? 400 : 200 })
      assert.deepEqual(await stateOf(other, theirs), before)
    })

    test('a key that was tampered with is refused', async () => {
      const parts = [own.key, other.key].map((key) => key.split('.'))
      const part = (index: number) => fc.constantFrom(...parts.map((key) => key[index] ?? ''), 'default', 'ck_x', '')
      const mixed = fc.tuple(part(0), part(1), part(2)).map((chosen) => chosen.join('.'))
      const flipped = fc
        .tuple(fc.nat(own.key.length - 1), fc.constantFrom('A', '0', '.', '-'))
        .map(([at, char]) => `${own.key.slice(0, at)}${char}${own.key.slice(at + 1)}`)
      const keys = fc.oneof(mixed, flipped).filter((key) => key !== own.key && key !== other.key && !key.includes(' '))
      const calls = fc.asyncProperty(keys, async (key) => {
        const { status, text } = await server.as(key)('GET', `${host}/memory`)
        assert.equal(status, 401, `${key} → ${text}`)
      })
      await fc.assert(calls, { numRuns: 100 })
    })
  })
}
