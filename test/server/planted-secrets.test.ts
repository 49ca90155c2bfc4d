import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { formsOf, holds, plainSecretValue, secretValue, storedBytes } from '../support/secret-forms.ts'
import { type Answer, type Call, createHome, type Home, startServer } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { openChanges, type Stream } from '../support/sse.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const notes = `${host}/memory/notes/entries`

for (const storage of ['sqlite', 'postgres'] as const) {
  describe(`a value of the vault does not appear anywhere on ${storage}`, () => {
    let home: Home
    let server: ServerProcess
    let stream: Stream
    const answers: { what: string; text: string }[] = []
    const planted = new Map<string, string>()

    /** A new secret, by the path it is going to be sent on, so that each leak can be identified. */
    async function plant(path: string, value = secretValue()): Promise<string> {
      planted.set(path, value)
      const put = await server.call('PUT', `${host}/secrets/secret-${planted.size}`, { value })
      assert.equal(put.status, 204, put.text)
      return value
    }
    const call: Call = async (method, path, body, headers) => {
      const answer = await server.call(method, path, body, headers)
      answers.push({ what: `${method} ${path}`, text: answer.text + JSON.stringify([...answer.headers]) })
      return answer
    }
    /** The body of the answer holds a marker and nothing of the value. */
    function assertRedacted(answer: Answer, value: string, what: string): void {
      assert.ok(answer.status < 300, `${what}: ${answer.text}`)
      assert.ok(!holds(answer.text, value), `${what}: ${answer.text}`)
      assert.match(answer.text, /\[REDACTED:secret-\d+\]/, what)
    }

    before(async () => {
      home = await createHome(storage)
      server = await startServerProcess({ home, env: { COLOPHON_LOG_LEVEL: 'trace' } })
      stream = await openChanges(server.url, server.key, { after: 0 })
    })
    after(async () => {
      await stream.close()
      await server[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    })

    for (const kind of ['content', 'tags', 'batch'] as const) {
      test(`not in ${kind}, in any form`, async () => {
        const value = await plant(kind)
        for (const { name, text } of formsOf(value)) {
          const draft =
            kind === 'tags' ? { content: 'x', tags: [`t:${text}:`] } : { content: `see ${text}, and ${text}` }
          const answer =
            kind === 'batch'
              ? await call('POST', `${notes}:batch`, { entries: [draft, draft] })
              : await call('POST', notes, draft)
          // A tag with invisible characters is refused, whatever it says.
          if (kind === 'tags' && answer.body.error === 'validation_error') assert.ok(!holds(answer.text, value), name)
          else assertRedacted(answer, value, name)
        }
      })
    }

    test('not inside a text that looks like a marker', async () => {
      const value = await plant('marker', plainSecretValue())
      for (const text of [
        `[REDACTED:${value}]`,
        `<REDACTED:${value}>`,
        `[BYOK:${value}]`,
        `[REDACTED:x${value}x]`,
        `[REDACTED:${Buffer.from(value).toString('hex')}]`,
      ]) {
        assertRedacted(await call('POST', notes, { content: `see ${text}` }), value, text)
      }
    })

    test('not in a name of a key or a description of a rule', async () => {
      const value = await plant('key name')
      const key = { name: `for ${value}`, scopes: ['memory:read'] }
      assertRedacted(await call('POST', `${host}/keys`, key), value, 'key')
      assertRedacted(await call('GET', `${host}/keys`), value, 'keys')
      const description = await plant('rule description')
      const rule = { pattern: 'TCK-[0-9]{6}', description: `finds ${description}` }
      assertRedacted(await call('PUT', `${host}/rules/ticket`, rule), description, 'rule')
      assertRedacted(await call('GET', `${host}/rules`), description, 'rules')
    })

    test('not in identifiers: they are refused', async () => {
      const value = await plant('identifiers', plainSecretValue())
      const inside = `a-${value}-z`
      const refused = [
        call('POST', `${host}/memory/${inside}/entries`, { content: 'x' }),
        call('POST', `${host}/memory/${inside}/entries:batch`, { entries: [{ content: 'x' }] }),
        call('POST', notes, { content: 'x', subject: inside }),
        call('POST', notes, { content: 'x' }, { 'idempotency-key': inside }),
        call('PUT', `${host}/secrets/${inside}`, { value: secretValue() }),
        call('PUT', `${host}/secrets/of-user`, { value: secretValue(), scope: 'user', userId: inside }),
        call('PUT', `${host}/secrets/of-run`, { value: secretValue(), scope: 'run', runId: inside }),
        call('PUT', `${host}/rules/${inside}`, { pattern: 'x' }),
      ]
      for (const [index, answer] of (await Promise.all(refused)).entries()) {
        assert.equal(answer.status, 422, `call ${index}: ${answer.status} ${answer.text}`)
        assertError(answer, 422, 'secret_leakage')
      }
    })

    test('not as the name of the secret itself', async () => {
      const value = plainSecretValue()
      planted.set('own name', value)
      assertError(await call('PUT', `${host}/secrets/x${value}`, { value }), 422, 'secret_leakage')
    })

    test('not in the pattern of a rule', async () => {
      const value = await plant('rule pattern', plainSecretValue())
      assertError(await call('PUT', `${host}/rules/own`, { pattern: `prefix ${value}` }), 422, 'secret_leakage')
      await call('GET', `${host}/rules`)
    })

    test('not in a dry test, with or without a pattern', async () => {
      const value = await plant('dry test')
      assertRedacted(await call('POST', `${host}/rules:test`, { text: `see ${value}` }), value, 'all rules')
      const tried = await call('POST', `${host}/rules:test`, { text: `see ${value}`, pattern: 'see' })
      assert.ok(!holds(tried.text, value), tried.text)
    })

    test('not in responses to requests that name it', async () => {
      const value = await plant('questions', plainSecretValue())
      await call('GET', `${host}/memory/${value}/entries?tag=${value}`)
      await call('GET', `${notes}?cursor=${value}&${value}=1`)
      await call('GET', `${notes}?asOf=${value}`)
      await call('GET', `${notes}/${value}/colophon`)
      await call('DELETE', `${notes}/${value}`)
      await call('DELETE', `${host}/memory/${value}/entries/${value}`)
      await call('DELETE', `${host}/rules/${value}`)
      await call('POST', `${host}/keys`, { name: 'x', scopes: [value], [value]: 1 })
      await call('POST', notes, `{"content":"${value}`)
      await call('GET', `/${value}/%zz`)
    })

    test('not in any response, event, log line or stored byte', async () => {
      const { id } = (await call('POST', notes, { content: 'the last one' })).body
      await stream.until('the last change', (events) => events.some(({ data }) => data.entryIds?.includes(id)))
      for (const path of [
        `${notes}?limit=500`,
        `${host}/memory`,
        `${host}/keys`,
        `${host}/secrets`,
        `${host}/rules`,
        `${host}/audit?limit=500`,
      ])
        await call('GET', path)
      await server.kill()
      const stored = [await storedBytes(home)]
      await using again = await startServer({ home })
      await again.stop()
      stored.push(await storedBytes(home))
      const leaks = [...planted].flatMap(([path, value]) => [
        ...answers
          .filter(({ text }) => holds(text, value))
          .map(({ what }) => `${path}: answer of ${what.replaceAll(value, 'V')}`),
        ...(holds(stream.text(), value) ? [`${path}: events`] : []),
        ...(holds(server.logs(), value) ? [`${path}: logs`] : []),
        ...(stored.some((bytes) => holds(bytes, value)) ? [`${path}: stored`] : []),
      ])
      assert.deepEqual(leaks, [])
    })
  })
}
