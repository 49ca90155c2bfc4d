// Which key writes in the name of a bound writer: before, during and after a rotation, and never one that has ended.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { makeBrief } from '../support/brief.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { type Call, storagesOfBehaviour, useServer } from '../support/server.ts'
import { addBody, assertRefused, host, memoriesOf, writers } from './memories-calls.ts'

after(releaseServer)

const keys = `${host}/keys`

for (const storage of storagesOfBehaviour) {
  describe(`keys of writers on ${storage}`, () => {
    const server = useServer({ storage })

    const makeKey = async (call: Call, scopes: readonly string[]) => {
      const made = await call('POST', keys, { name: 'k', scopes })
      assert.equal(made.status, 201, made.text)
      return { id: made.body.id as string, call: server.as(made.body.key) }
    }
    const rotate = async (by: Call, id: string, overlapMs = 3_600_000) => {
      const made = await by('POST', `${keys}/${id}:rotate`, { overlapMs })
      assert.equal(made.status, 201, made.text)
      return { id: made.body.id as string, call: server.as(made.body.key) }
    }
    let events = 0
    const state = async (by: Call) =>
      (
        await by(
          'POST',
          '/v1/memories/add',
          addBody('ada', 'Prefers tea.', { service: 'crm', eventId: `e${++events}` }),
        )
      ).status

    /** A tenant whose writer `crm` is bound to a key that may manage keys. */
    const bound = async () => {
      const { call } = await server.tenant()
      const own = await makeKey(call, ['memory:write', 'memory:read', 'keys:manage'])
      const writer = await memoriesOf(call).writer('crm', 50, { api_key_id: own.id })
      const read = async () =>
        (await call('GET', writers)).body.data.map(({ api_key_id }: { api_key_id: string }) => api_key_id)
      return { call, own, writer, read }
    }

    test('a key that rotates itself hands its writer on, and both work until the overlap ends', async () => {
      const { call, own, read } = await bound()
      const next = await rotate(own.call, own.id)
      assert.deepEqual(await read(), [next.id])
      assert.deepEqual([await state(own.call), await state(next.call)], [202, 202])
      const last = await rotate(next.call, next.id)
      assert.deepEqual([await state(own.call), await state(next.call), await state(last.call)], [202, 202, 202])
      assert.equal((await call('DELETE', `${keys}/${own.id}`)).status, 200)
      assert.deepEqual([await state(own.call), await state(next.call), await state(last.call)], [401, 202, 202])
      const other = await makeKey(call, ['memory:write'])
      assert.equal(await state(other.call), 403)
    })

    test('a key with memory:admin hands the writer on too; any other leaves it with the old key', async () => {
      const { call, own, read } = await bound()
      const manager = await makeKey(call, ['memory:write', 'memory:read', 'keys:manage'])
      const taken = await rotate(manager.call, own.id)
      assert.deepEqual(await read(), [own.id])
      assert.deepEqual([await state(own.call), await state(taken.call)], [202, 403])
      const next = await rotate(call, own.id)
      assert.deepEqual(await read(), [next.id])
      assert.deepEqual([await state(own.call), await state(next.call), await state(taken.call)], [202, 202, 403])
    })

    test('a writer that is bound again accepts the named key only', async () => {
      const { call, own, read, writer } = await bound()
      const next = await rotate(own.call, own.id)
      const change = (body: object) => call('PATCH', `${writers}/${writer.id}`, body)
      assert.equal((await change({ display_name: 'CRM' })).status, 200)
      assert.deepEqual([await state(own.call), await state(next.call)], [202, 202])
      assert.equal((await change({ api_key_id: next.id })).status, 200)
      assert.deepEqual([await read(), await state(own.call), await state(next.call)], [[next.id], 403, 202])
    })

    test('a writer cannot be bound to a key that was revoked or has expired', async () => {
      const { call, writer } = await bound()
      const revoked = await makeKey(call, ['memory:write'])
      await call('DELETE', `${keys}/${revoked.id}`)
      const rotated = await makeKey(call, ['memory:write'])
      await rotate(call, rotated.id, 0)
      const expiring = await makeBrief(async (end) => {
        const made = await call('POST', keys, { name: 'k', scopes: ['memory:write'], expiresAt: end.toISOString() })
        return made.status === 201 ? (made.body.id as string) : null
      }, 50)
      const statusOf = async (key: string) =>
        (await call('GET', keys)).body.keys.find(({ id }: { id: string }) => id === key).status
      await eventually('the key has expired', async () => (await statusOf(expiring)) === 'expired')
      for (const [id, status] of [
        [revoked.id, 'revoked'],
        [rotated.id, 'revoked'],
        [expiring, 'expired'],
      ] as const) {
        for (const refused of [
          await call('POST', writers, { service_key: 'late', api_key_id: id }),
          await call('PATCH', `${writers}/${writer.id}`, { api_key_id: id }),
        ]) {
          assertRefused(refused, 422, 'PROV_422', 'writer_invalid')
          assert.match(refused.body.message, new RegExp(status))
        }
      }
    })

    test('a retry of a registration gets its result, also when the key was revoked since', async () => {
      const { call } = await server.tenant()
      const { id } = await makeKey(call, ['memory:write'])
      const register = () => call('POST', writers, { service_key: 'bot', api_key_id: id }, { 'idempotency-key': 'r' })
      assert.equal((await register()).status, 201)
      await call('DELETE', `${keys}/${id}`)
      const again = await register()
      assert.deepEqual([again.status, again.headers.get('idempotent-replay')], [201, 'true'])
    })
  })
}
