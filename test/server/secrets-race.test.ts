import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { holds, plainSecretValue, storedBytes } from '../support/secret-forms.ts'
import { createHome, randomKey, startServer, type TestServer } from '../support/server.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const rounds = 6
const writersPerServer = 4

type Write = { readonly id: string; readonly content: string; readonly startedAfterward: boolean }

/** Writes a value again and again, until it has been a secret for a few writes of each writer. */
function keepWriting(servers: readonly TestServer[], ref: string, value: string) {
  const state = { isSecret: false, failures: [] as string[], writes: [] as Write[] }
  const work = async (server: TestServer) => {
    for (let later = 0; later < 3; ) {
      const startedAfterward = state.isSecret
      if (startedAfterward) later += 1
      const { status, body, text } = await server.call('POST', `${host}/memory/${ref}/entries`, {
        content: `see ${value}`,
      })
      if (status === 201) state.writes.push({ id: body.id, content: body.content, startedAfterward })
      else state.failures.push(`${status} ${text}`)
    }
  }
  const done = Promise.all(servers.flatMap((server) => Array.from({ length: writersPerServer }, () => work(server))))
  return { state, done }
}

test('once a secret is registered on one server, no server stores its value', async (t) => {
  await using home = await createHome('postgres')
  const env = { COLOPHON_BOOTSTRAP_KEY: randomKey(), COLOPHON_VAULT_KEY: randomBytes(32).toString('base64') }
  await using left = await startServer({ home, env })
  await using right = await startServer({ home, env })
  let before = 0
  for (let round = 0; round < rounds; round++) {
    const value = plainSecretValue()
    const ref = `round-${round}`
    const { state, done } = keepWriting([left, right], ref, value)
    // Let both servers store it a few times first, so that each has its redactor at hand.
    while (state.writes.length < 10) await left.call('GET', `${host}/memory`)
    const put = await (round % 2 ? left : right).call('PUT', `${host}/secrets/secret-${round}`, { value })
    state.isSecret = true
    assert.equal(put.status, 204, put.text)
    await done
    assert.deepEqual(state.failures, [])

    const audit = (await left.call('GET', `${host}/audit?limit=500&after=${await lastPage(left)}`)).body.records
    const registered = audit.findLast(({ kind }: { kind: string }) => kind.includes('secret')).position as number
    const leaked = state.writes.filter(({ content }) => holds(content, value))
    before += leaked.length
    assert.deepEqual(
      leaked.filter(({ startedAfterward }) => startedAfterward),
      [],
      'stored after the secret was registered',
    )
    for (const { id } of leaked) {
      const { position } = (await right.call('GET', `${host}/memory/${ref}/entries/${id}/colophon`)).body.audit
      assert.ok(position < registered, `position ${position} holds the secret of position ${registered}`)
    }
  }
  t.diagnostic(`${before} writes came before their secret`)
  assert.ok(before > 0, 'no write came before its secret, so nothing raced')
})

async function lastPage(server: TestServer): Promise<number> {
  const { position } = (await server.call('GET', `${host}/memory/none/entries`)).body
  return Math.max(0, position - 400)
}

test('two servers that load a new secret at the same moment both redact it', async () => {
  await using home = await createHome('postgres')
  const env = { COLOPHON_BOOTSTRAP_KEY: randomKey(), COLOPHON_VAULT_KEY: randomBytes(32).toString('base64') }
  await using left = await startServer({ home, env })
  await using right = await startServer({ home, env })
  const values = Array.from({ length: 6 }, plainSecretValue)
  for (const [index, value] of values.entries()) {
    const [one, other] = index % 2 ? [left, right] : [right, left]
    assert.equal((await one.call('PUT', `${host}/secrets/s${index}`, { value })).status, 204)
    const answers = await Promise.all(
      [one, other].map((server) =>
        server.call('POST', `${host}/memory/notes/entries`, { content: value, tags: [value] }),
      ),
    )
    for (const { status, text } of answers) {
      assert.equal(status, 201, text)
      assert.ok(!holds(text, value), text)
    }
  }
  const stored = await storedBytes(home)
  assert.deepEqual(
    values.filter((value) => holds(stored, value)),
    [],
  )
})
