import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const rules = `${host}/rules`
const notes = `${host}/memory/notes/entries`

for (const storage of storagesOfBehaviour) {
  describe(storage, () => {
    const server = useServer({ storage })

    test('a rule applies from the moment it is put until it is removed, beside the built-in ones', async () => {
      const { call } = await server.tenant()
      const rule = { pattern: 'TCK-[0-9]{6}', description: 'ticket numbers' }
      const put = await call('PUT', `${rules}/ticket`, rule)
      assert.deepEqual([put.status, put.body], [200, { id: 'ticket', ...rule }])
      const listed = (await call('GET', rules)).body
      assert.deepEqual(listed.rules, [{ id: 'ticket', ...rule, updatedAt: listed.rules[0].updatedAt }])
      assert.ok(listed.builtIn.length >= 70, `${listed.builtIn.length} built-in rules`)
      const written = async () => (await call('POST', notes, { content: 'see TCK-123456.', tags: ['TCK-123456'] })).body
      const { content, tags } = await written()
      assert.deepEqual([content, tags], ['see [REDACTED:ticket].', ['[REDACTED:ticket]', 'source:api']])
      assertError(await call('POST', `${host}/memory/TCK-123456/entries`, { content: 'x' }), 422, 'secret_leakage')
      assert.deepEqual((await call('DELETE', `${rules}/ticket`)).body, { deleted: true })
      assert.deepEqual((await call('DELETE', `${rules}/ticket`)).body, { deleted: false })
      assert.equal((await written()).content, 'see TCK-123456.')
    })

    test('a dry test shows the result, and stores nothing', async () => {
      const { call } = await server.tenant()
      await call('PUT', `${rules}/ticket`, { pattern: 'TCK-[0-9]{6}' })
      const { position } = (await call('GET', notes)).body
      const all = await call('POST', `${rules}:test`, { text: 'TCK-123456, TCK-654321 and ORD-1' })
      assert.deepEqual(all.body, {
        text: '[REDACTED:ticket], [REDACTED:ticket] and ORD-1',
        hits: [{ rule: 'ticket', count: 2 }],
      })
      const one = (await call('POST', `${rules}:test`, { text: 'TCK-123456 and ORD-1', pattern: 'ORD-[0-9]+' })).body
      assert.match(one.text, /and \[REDACTED:[a-z-]+\]$/)
      assert.equal(one.hits.at(-1).count, 1)
      assert.equal((await call('POST', `${rules}:test`, { text: 'nothing here' })).body.text, 'nothing here')
      assert.equal((await call('GET', notes)).body.position, position)
      assert.equal((await call('GET', rules)).body.rules.length, 1)
      assertError(await call('POST', `${rules}:test`, { text: 'x'.repeat(70_000) }), 400, 'validation_error')
    })

    test('a dry test uses a rule or a secret as soon as it was put', async () => {
      const { call } = await server.tenant()
      assert.equal((await call('POST', `${rules}:test`, { text: 'TCK-123456' })).body.text, 'TCK-123456')
      await call('PUT', `${rules}/ticket`, { pattern: 'TCK-[0-9]{6}' })
      assert.equal((await call('POST', `${rules}:test`, { text: 'TCK-123456' })).body.text, '[REDACTED:ticket]')
      await call('PUT', `${host}/secrets/word`, { value: 'open sesame' })
      assert.equal((await call('POST', `${rules}:test`, { text: 'open sesame' })).body.text, '[REDACTED:word]')
    })

    test('invalid rules are refused', async () => {
      const { call } = await server.tenant()
      for (const pattern of [
        '(',
        '[',
        'a{2,1}',
        '(?=x)',
        '(?<=x)y',
        '(a)\\1',
        'a*',
        '',
        '.*',
        '^',
        'x'.repeat(1_001),
        '(a|b|)',
      ]) {
        assertError(await call('PUT', `${rules}/r`, { pattern }), 400, 'validation_error')
        assertError(await call('POST', `${rules}:test`, { text: 'x', pattern }), 400, 'validation_error')
      }
      for (const id of ['UPPER', 'a b', '-a', 'x'.repeat(65), 'a.b']) {
        assertError(
          await call('PUT', `${rules}/${encodeURIComponent(id)}`, { pattern: 'abc' }),
          400,
          'validation_error',
        )
      }
      assertError(await call('PUT', `${rules}/r`, { pattern: 'abc', flags: 'i' }), 400, 'validation_error')
      assertError(
        await call('PUT', `${rules}/r`, { pattern: 'abc', description: 'x'.repeat(100_000) }),
        400,
        'validation_error',
      )
      assert.deepEqual((await call('GET', rules)).body.rules, [])
    })

    test('a rule can be changed although its new pattern matches its old one or another rule', async () => {
      const { call } = await server.tenant()
      await call('PUT', `${rules}/project`, { pattern: 'project-x' })
      for (const id of ['project', 'other']) {
        const put = await call('PUT', `${rules}/${id}`, { pattern: 'project-x[0-9]+', description: 'as of today' })
        assert.equal(put.status, 200, put.text)
      }
      assert.equal(
        (await call('POST', notes, { content: 'project-x and project-x7' })).body.content.match(/project-x/g)?.length,
        1,
      )
    })

    test('a rule that matches the host’s own ids does not lock the tenant out', async () => {
      const { call } = await server.tenant()
      const id = '0198c0de-0000-7000-8000-000000000000'
      await call('PUT', `${rules}/uuid`, { pattern: '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' })
      const put = await call('POST', notes, { content: `see ${id}` })
      assert.equal(put.status, 201, put.text)
      assert.equal(put.body.content, 'see [REDACTED:uuid]')
      const removed = await call('DELETE', `${rules}/uuid`)
      assert.deepEqual(removed.body, { deleted: true }, removed.text)
    })

    test('a pattern with catastrophic backtracking in other engines runs in linear time', async () => {
      const { call } = await server.tenant()
      await call('PUT', `${rules}/evil`, { pattern: '(a+)+B|(x*)*Y|(z|z)*Q' })
      const content = `${'a'.repeat(20_000)} ${'x'.repeat(20_000)} ${'z'.repeat(20_000)}`
      assert.equal((await call('POST', notes, { content })).body.content, content)
    })
  })
}
