import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const entries = `${host}/memory/notes/entries`

for (const storage of storagesOfBehaviour) {
  describe(`containments on ${storage}`, () => {
    const server = useServer({ storage })

    /** A tenant with one entry of its own, and two that a second key wrote and deleted. */
    async function open() {
      const { call } = await server.tenant()
      const scopes = ['memory:read', 'memory:write', 'memory:delete']
      const made = (await call('POST', `${host}/keys`, { name: 'stolen', scopes })).body
      const stolen = server.as(made.key)
      await call('POST', entries, { content: 'Owner.' })
      const { id } = (await call('POST', entries, { content: 'Deleted.' })).body
      await stolen('POST', entries, { content: 'Stolen.' })
      assert.equal((await stolen('DELETE', `${entries}/${id}`)).status, 200)
      const contents = async () =>
        (await call('GET', entries)).body.entries.map((entry: { content: string }) => entry.content).sort()
      const contain = (body: object, headers = {}) =>
        call('POST', `${host}/containments`, { key: made.id, ...body }, headers)
      return { call, stolen, contents, contain, keyId: made.id as string }
    }

    test('a dry run lists what is contained, the containment does it, and the release undoes it', async () => {
      const { call, contain, contents, keyId } = await open()
      const preview = await contain({ dryRun: true })
      assert.equal(preview.status, 200, preview.text)
      assert.deepEqual([preview.body.dryRun, preview.body.counts.entries, preview.body.truncated], [true, 2, undefined])
      assert.deepEqual(await contents(), ['Owner.', 'Stolen.'])
      const applied = await contain({ reason: 'stolen laptop' }, { 'Idempotency-Key': 'once' })
      assert.equal(applied.status, 201, applied.text)
      const effects = applied.body.entries.map(({ memoryRef, why, effect }: Record<string, string>) => [
        memoryRef,
        why,
        effect,
      ])
      assert.deepEqual(effects.sort(), [
        ['notes', 'written', 'contained'],
        ['notes', 'written', 'restored'],
      ])
      assert.deepEqual(applied.body.selector, { kind: 'key', value: keyId })
      assert.deepEqual(await contents(), ['Deleted.', 'Owner.'])
      const again = await contain({ reason: 'stolen laptop' }, { 'Idempotency-Key': 'once' })
      assert.equal(again.body.id, applied.body.id)
      const read = (await call('GET', `${host}/containments/${applied.body.id}`)).body
      assert.deepEqual(read.entries, again.body.entries)
      const { containments } = (await call('GET', `${host}/containments`)).body
      assert.deepEqual(
        containments.map(({ id, status, reason }: Record<string, string>) => [id, status, reason]),
        [[applied.body.id, 'applied', 'stolen laptop']],
      )
      const released = await call('POST', `${host}/containments/${applied.body.id}:release`)
      assert.deepEqual([released.status, released.body.status], [200, 'released'], released.text)
      assert.deepEqual(await contents(), ['Owner.', 'Stolen.'])
      assertError(await call('POST', `${host}/containments/${applied.body.id}:release`), 409, 'containment_state')
    })

    test('a request that is not clear, or without the scope, is refused', async () => {
      const { call, stolen, contain } = await open()
      assertError(await contain({ run: 'run_1' }), 400, 'validation_error')
      assertError(await contain({ since: 'tuesday' }), 400, 'validation_error')
      assertError(await contain({ sincee: 1 }), 400, 'validation_error')
      assertError(await stolen('POST', `${host}/containments`, { writer: 'crm' }), 403, 'forbidden')
      assertError(await call('GET', `${host}/containments/ctn_unknown`), 404, 'not_found')
      assertError(await call('POST', `${host}/containments/ctn_unknown:release`), 404, 'not_found')
    })
  })
}
