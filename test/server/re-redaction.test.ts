import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { formsOf, holds, secretValue, storedBytes } from '../support/secret-forms.ts'
import { type Call, createHome, startServer, storagesOfBehaviour } from '../support/server.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const notes = `${host}/memory/notes/entries`

/** Starts a pass over everything stored, and waits until it has ended. */
async function redactAgain(call: Call, dryRun: boolean) {
  const { status, body, text } = await call('POST', `${host}/redactions`, { dryRun })
  assert.equal(status, 202, text)
  const job = async () => (await call('GET', `${host}/jobs/${body.jobId}`)).body
  await eventually('the pass is over', async () => !['queued', 'leased'].includes((await job()).status))
  const { status: ended, result, error } = await job()
  assert.equal(ended, 'completed', JSON.stringify(error))
  return result
}

for (const storage of storagesOfBehaviour) {
  describe(storage, () => {
    test('a value that is registered as a secret later is redacted from everything stored', async () => {
      await using home = await createHome(storage)
      await using server = await startServer({ home })
      const { call, key } = await server.tenant()
      const value = secretValue()
      const texts = formsOf(value).map(({ text }) => `see ${text}.`)
      const put = await call('POST', `${notes}:batch`, {
        entries: texts.map((content) => ({ content, tags: [`of ${value}`] })),
      })
      const [first] = put.body.entries
      await call('DELETE', `${notes}/${first.id}`)
      await call('POST', `${host}/keys`, { name: `for ${value}`, scopes: ['memory:read'] })
      await call('PUT', `${host}/rules/ticket`, { pattern: 'TCK-[0-9]{6}', description: `not ${value}` })
      await call('POST', notes, { content: 'TCK-123456 is harmless' })
      const made = (await call('POST', `${host}/keys`, { name: 'stolen', scopes: ['memory:read'] })).body
      for (const [path, body] of [
        ['containments', { key: made.id, reason: `it knows ${value}` }],
        ['forget', { subject: 'nobody', reason: `asked with ${value}` }],
      ] as const) {
        const { status, text } = await call('POST', `${host}/${path}`, body)
        assert.ok(status < 300, text)
      }
      const before = (await call('GET', `${notes}?limit=500`)).body
      await call('PUT', `${host}/secrets/late`, { value })

      const dry = await redactAgain(call, true)
      assert.ok(dry.dryRun && dry.changed >= texts.length, JSON.stringify(dry))
      assert.ok(!holds(JSON.stringify(dry), value))
      assert.deepEqual(
        (await call('GET', `${notes}?limit=500`)).body.entries,
        before.entries,
        'a dry run changes nothing',
      )

      const done = await redactAgain(call, false)
      assert.equal(done.changed, dry.changed)
      const { keyId } = (await call('GET', `${host}/session`)).body
      const { records } = (await call('GET', `${host}/audit?limit=500`)).body
      const rewritten = records.filter(({ kind }: { kind: string }) => kind.endsWith('.redacted'))
      const actors = new Set(rewritten.map(({ actor }: { actor: string }) => actor))
      assert.deepEqual([...actors], [`key:${keyId}`], 'the log names who asked for the pass')
      assert.equal((await redactAgain(call, false)).changed, 0, 'a second pass finds nothing')
      const { entries } = (await call('GET', `${notes}?limit=500`)).body
      const ids = (page: { id: string }[]) => page.map(({ id }) => id)
      assert.deepEqual(ids(entries), ids(before.entries), 'same entries, same order')
      for (const path of [
        `${notes}?limit=500`,
        `${notes}/${first.id}?asOf=${put.body.position}`,
        `${host}/keys`,
        `${host}/rules`,
        `${host}/jobs`,
        `${host}/containments`,
        `${host}/forget`,
        `${host}/audit?limit=500`,
      ]) {
        const answer = await call('GET', path)
        assert.ok(answer.status === 200 && !holds(answer.text, value), `${path}: ${answer.text}`)
      }
      assert.equal((await call('GET', '/v1/audit/verify')).body.chainValid, true)
      await server.stop()
      assert.ok(!holds(await storedBytes(home), value), 'it is still among the stored bytes')
      assert.ok(!holds(server.logs(), value))

      await using next = await startServer({ home })
      assert.equal((await next.as(key)('GET', '/v1/audit/verify')).body.chainValid, true)
    })

    test('a pass belongs to its tenant, and another tenant cannot see or change its job', async () => {
      await using server = await startServer({ storage })
      const [own, other] = [await server.tenant(), await server.tenant()]
      const content = 'open sesame 123'
      for (const { call } of [own, other]) await call('POST', notes, { content })
      await own.call('PUT', `${host}/secrets/word`, { value: content })
      await redactAgain(own.call, false)
      assert.equal((await own.call('GET', notes)).body.entries[0].content, '[REDACTED:word]')
      assert.equal((await other.call('GET', notes)).body.entries[0].content, content)
      const { jobs } = (await own.call('GET', `${host}/jobs`)).body
      assert.equal(jobs.length, 1)
      assert.deepEqual((await other.call('GET', `${host}/jobs`)).body.jobs, [])
      assertError(await other.call('GET', `${host}/jobs/${jobs[0].id}`), 404, 'job_not_found')
      for (const verb of ['retry', 'cancel']) {
        assertError(await other.call('POST', `${host}/jobs/${jobs[0].id}:${verb}`), 404, 'job_not_found')
      }
    })
  })
}
