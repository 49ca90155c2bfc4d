import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { plainSecretValue } from '../support/secret-forms.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const secrets = `${host}/secrets`
const notes = `${host}/memory/notes/entries`

for (const storage of storagesOfBehaviour) {
  describe(storage, () => {
    const server = useServer({ storage })

    test('many concurrent puts of secrets are all stored, during other writes', async () => {
      const { call } = await server.tenant()
      const names = Array.from({ length: 60 }, (_, at) => `s${at}`)
      const puts = names.map((id) => call('PUT', `${secrets}/${id}`, { value: plainSecretValue() }))
      const writes = names.map((name) => call('POST', notes, { content: name }))
      for (const { status, text } of await Promise.all([...puts, ...writes])) assert.ok(status < 300, text)
      assert.equal((await call('GET', secrets)).body.secrets.length, names.length)
    })

    test('a secret is put, listed and removed, and its value is never returned', async () => {
      const { call } = await server.tenant()
      const value = plainSecretValue()
      const put = await call('PUT', `${secrets}/crm`, { value })
      assert.deepEqual([put.status, put.text], [204, ''])
      await call('PUT', `${secrets}/ada`, { value: plainSecretValue(), scope: 'user', userId: 'ada' })
      await call('PUT', `${secrets}/run`, { value: plainSecretValue(), scope: 'run', runId: 'run_1' })
      const { body, text } = await call('GET', secrets)
      const shown = body.secrets.map(({ updatedAt: _at, ...rest }: Record<string, string>) => rest)
      assert.deepEqual(shown, [
        { id: 'ada', scope: 'user', userId: 'ada' },
        { id: 'crm', scope: 'tenant' },
        { id: 'run', scope: 'run', runId: 'run_1' },
      ])
      assert.ok(!text.includes(value))
      assert.equal((await call('GET', `${secrets}/crm`)).status, 405, 'there is nothing to read a value with')
      const redacted = async () => (await call('POST', notes, { content: value })).body.content as string
      assert.equal(await redacted(), '[REDACTED:crm]')
      assert.deepEqual((await call('DELETE', `${secrets}/crm`)).body, { deleted: true })
      assert.deepEqual((await call('DELETE', `${secrets}/crm`)).body, { deleted: false })
      assert.equal(await redacted(), value)
    })

    test('a changed value is redacted from then on, and secrets of every scope are redacted everywhere', async () => {
      const { call } = await server.tenant()
      const [first, second, ofUser] = [plainSecretValue(), plainSecretValue(), plainSecretValue()]
      await call('PUT', `${secrets}/a`, { value: first })
      await call('PUT', `${secrets}/a`, { value: second })
      await call('PUT', `${secrets}/b`, { value: ofUser, scope: 'user', userId: 'ada' })
      const { content } = (await call('POST', notes, { content: `${second} ${ofUser}`, subject: 'bob' })).body
      assert.equal(content, '[REDACTED:a] [REDACTED:b]')
    })

    test('the longest matching value is redacted, and a secret of one tenant is ordinary text in another', async () => {
      const [own, other] = [await server.tenant(), await server.tenant()]
      const short = plainSecretValue()
      await own.call('PUT', `${secrets}/short`, { value: short })
      await own.call('PUT', `${secrets}/long`, { value: `${short}-and-more` })
      const content = `${short}-and-more, ${short}-and-less`
      assert.equal(
        (await own.call('POST', notes, { content })).body.content,
        '[REDACTED:long], [REDACTED:short]-and-less',
      )
      assert.equal((await other.call('POST', notes, { content })).body.content, content)
    })

    test('a value that could be found by guessing is refused, and the error explains what to use', async () => {
      const { call } = await server.tenant()
      for (const value of ['12345678', '48123456789', 'deadbeef', 'password']) {
        const weak = await call('PUT', `${secrets}/weak`, { value })
        assertError(weak, 422, 'secret_too_weak')
        assert.ok(!weak.text.includes(value))
        assert.equal(weak.body.details.limit, 'secretCandidateBitsMin')
        assert.match(weak.body.details.hint, /12 random digits/)
      }
      assert.deepEqual((await call('GET', secrets)).body.secrets, [])
      assert.equal((await call('PUT', `${secrets}/digits`, { value: '481234567890' })).status, 204)
    })

    test('invalid secrets are refused with the reason', async () => {
      const { call } = await server.tenant()
      const short = await call('PUT', `${secrets}/a`, { value: '1234567' })
      assertError(short, 400, 'validation_error')
      assert.match(short.body.message, /at least 8 characters.*ordinary words/)
      const value = plainSecretValue()
      for (const wrong of [
        {},
        { value: 1 },
        { value, scope: 'all' },
        { value, scope: 'user' },
        { value, userId: 'ada' },
        { value, scope: 'run', userId: 'ada' },
        { value, more: 1 },
        { value: `${value}\u0000` },
        { value: 'x'.repeat(65_537) },
      ]) {
        const answer = await call('PUT', `${secrets}/a`, wrong)
        assertError(answer, 400, 'validation_error')
        assert.ok(!answer.text.includes(value), answer.text)
      }
      for (const id of ['a b', 'a]b', '-a', 'x'.repeat(129), 'é']) {
        assertError(await call('PUT', `${secrets}/${encodeURIComponent(id)}`, { value }), 400, 'validation_error')
      }
      assert.deepEqual((await call('GET', secrets)).body, { secrets: [] })
    })
  })
}
