import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import {
  type Answer,
  createHome,
  randomKey,
  startServer,
  storagesOfBehaviour,
  type TestServer,
  useServer,
} from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const notes = `${host}/memory/notes/entries`
const keyed = (key: string) => ({ 'idempotency-key': key })
const replayOf = ({ headers }: Answer) => [headers.get('idempotent-replay'), headers.get('openwop-idempotent-replay')]
const contents = ({ body }: Answer) => body.entries.map((entry: { content: string }) => entry.content)

/** Concurrent equal calls: one takes effect, the others get its response. */
function assertDoneOnce(answers: readonly Answer[]): void {
  const [first] = answers
  for (const answer of answers) {
    assert.equal(answer.status, 201, answer.text)
    assert.deepEqual(answer.body, first?.body)
  }
  const replays = answers.filter((answer) => replayOf(answer).join() === 'true,true')
  assert.equal(replays.length, answers.length - 1)
}

for (const storage of storagesOfBehaviour) {
  describe(storage, () => {
    const server = useServer({ storage })

    test('a hundred equal puts at once with one key store one entry', async () => {
      const { call } = await server.tenant()
      const put = () => call('POST', notes, { content: 'once', tags: ['a'] }, keyed('one'))
      assertDoneOnce(await Promise.all(Array.from({ length: 100 }, put)))
      assert.deepEqual(contents(await call('GET', notes)), ['once'])
      assertDoneOnce(
        await Promise.all(
          Array.from({ length: 20 }, () =>
            call('POST', `${notes}:batch`, { entries: [{ content: 'x' }, { content: 'y' }] }, keyed('batch')),
          ),
        ),
      )
      assert.deepEqual(contents(await call('GET', notes)), ['y', 'x', 'once'])
    })

    test('a key that is repeated with another body is refused, and the error shows nothing of the first request', async () => {
      const { call } = await server.tenant()
      const first = await call('POST', notes, { content: 'green tea' }, keyed('same'))
      const others = [
        call('POST', notes, { content: 'second' }, keyed('same')),
        call('POST', notes, { content: 'green tea', tags: ['more'] }, keyed('same')),
        call('POST', `${host}/memory/other/entries`, { content: 'green tea' }, keyed('same')),
      ]
      for (const answer of await Promise.all(others)) {
        assertError(answer, 409, 'idempotency_key_mismatch')
        assert.ok(!answer.text.includes(first.body.id) && !answer.text.includes('green'), answer.text)
      }
      assert.deepEqual(contents(await call('GET', notes)), ['green tea'])
      assert.equal(
        (await call('POST', notes, '{"tags":[],"content":"green tea"}', keyed('same'))).body.id,
        first.body.id,
      )
    })

    test('the same key is free in another tenant, for another operation, and after a refused call', async () => {
      const tenants = [await server.tenant(), await server.tenant()]
      for (const { call } of tenants) {
        assertError(await call('POST', notes, { content: 1 }, keyed('shared')), 400, 'validation_error')
        assertError(await call('POST', notes, { content: 'x', tags: ['source:api'] }, keyed('shared')), 400)
        assert.equal((await call('POST', notes, { content: 'x' }, keyed('shared'))).status, 201)
        const batch = await call('POST', `${notes}:batch`, { entries: [{ content: 'y' }] }, keyed('shared'))
        assert.equal(batch.status, 201, batch.text)
        assert.deepEqual((await call('DELETE', `${notes}/none`, undefined, keyed('shared'))).body, { deleted: false })
        assert.deepEqual(contents(await call('GET', notes)), ['y', 'x'])
      }
    })

    test('a repeated delete returns the first outcome, and a repeated put does not restore a deleted entry', async () => {
      const { call } = await server.tenant()
      const put = await call('POST', notes, { content: 'short' }, keyed('put'))
      const remove = () => call('DELETE', `${notes}/${put.body.id}`, undefined, keyed('delete'))
      const first = await remove()
      assert.deepEqual([first.body, replayOf(first).includes('true')], [{ deleted: true }, false])
      const second = await remove()
      assert.deepEqual([second.status, second.body, replayOf(second)], [200, { deleted: true }, ['true', 'true']])
      assertError(await call('DELETE', `${notes}/other`, undefined, keyed('delete')), 409, 'idempotency_key_mismatch')
      const again = await call('POST', notes, { content: 'short' }, keyed('put'))
      assertError(again, 410, 'content_erased')
      assert.ok(!again.text.includes('short'))
      assert.deepEqual(contents(await call('GET', notes)), [])
    })

    test('a key has at most 255 characters, and calls without a key are not deduplicated', async () => {
      const { call } = await server.tenant()
      for (const key of ['', 'x'.repeat(256), 'a\tb']) {
        assertError(await call('POST', notes, { content: 'x' }, keyed(key)), 400, 'validation_error')
      }
      assert.equal((await call('POST', notes, { content: 'x' }, keyed('x'.repeat(255)))).status, 201)
      const plain = await call('POST', notes, { content: 'x' })
      assert.deepEqual(replayOf(plain), [null, null])
      assert.equal(contents(await call('GET', notes, undefined, keyed('x'))).length, 2)
    })

    test('a server that restarts after a kill still recognizes every key', async () => {
      await using home = await createHome(storage)
      await using killed = await startServerProcess({ home })
      const put = (from: TestServer, index: number) =>
        from.call('POST', notes, { content: `entry ${index}` }, keyed(`key-${index}`))
      const known = await put(killed, 0)
      const answered = new Map<number, string>([[0, known.body.id]])
      const pending = Array.from({ length: 40 }, async (_, index) => {
        const answer = await put(killed, index + 1)
        answered.set(index + 1, answer.body.id)
        if (answered.size === 10) await killed.kill()
      })
      await Promise.allSettled(pending)

      await using next = await startServer({ home, env: { COLOPHON_BOOTSTRAP_KEY: killed.key } })
      const again = await Promise.all(Array.from({ length: 41 }, (_, index) => put(next, index)))
      for (const [index, answer] of again.entries()) {
        assert.equal(answer.status, 201, answer.text)
        if (answered.has(index)) assert.deepEqual([answer.body.id, replayOf(answer)[0]], [answered.get(index), 'true'])
      }
      assert.equal(new Set(contents(await next.call('GET', `${notes}?limit=500`))).size, 41)
      assert.equal((await next.call('GET', `${notes}?limit=500`)).body.entries.length, 41)
    })
  })
}

test('equal puts on two servers with one database store one entry', async () => {
  await using home = await createHome('postgres')
  const env = { COLOPHON_BOOTSTRAP_KEY: randomKey() }
  await using left = await startServer({ home, env })
  await using right = await startServer({ home, env })
  for (const key of ['first', 'second', 'third']) {
    const put = (_: unknown, index: number) =>
      (index % 2 ? left : right).call('POST', notes, { content: key }, keyed(key))
    assertDoneOnce(await Promise.all(Array.from({ length: 60 }, put)))
  }
  assert.deepEqual(contents(await right.call('GET', notes)), ['third', 'second', 'first'])
})
