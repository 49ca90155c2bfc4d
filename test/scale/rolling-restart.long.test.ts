import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { host, keyed } from '../server/runs-calls.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { type Processes, startProcesses } from '../support/processes.ts'
import type { Answer } from '../support/server.ts'

after(releaseServer)

const path = `${host}/memory/rolling/entries`
const clients = 12
const processCount = 3

type Written = { readonly content: string; readonly answer: Answer; readonly tries: number }

/** What a client can get while a process stops: no connection at all, or an error with Retry-After. */
function isHealable(answer: Answer | null): boolean {
  if (answer === null) return true
  return answer.status === 503 && answer.body?.error === 'closed' && answer.headers.get('retry-after') !== null
}

/** Writes one entry after another through a load balancer without health checks: each try goes to the next address. */
function startClient(processes: Processes, name: number) {
  const writes: Written[] = []
  const strange: string[] = []
  let isOver = false
  let turn = name
  const send = async (content: string): Promise<Written> => {
    for (let tries = 1; ; tries++) {
      const { call } = processes.at(turn++)
      const answer = await call('POST', path, { content }, keyed(content)).catch(() => null)
      if (answer?.status === 201) return { content, answer, tries }
      if (!isHealable(answer)) strange.push(`${answer?.status} ${answer?.text}`)
    }
  }
  const work = async () => {
    for (let n = 0; !isOver; n++) writes.push(await send(`${name}/${n}`))
  }
  const done = work()
  const finish = () => {
    isOver = true
    return done
  }
  return { writes, strange, finish }
}

test('during a rolling restart every write with an idempotency key takes effect once', {
  timeout: 120_000,
}, async (t) => {
  await using processes = await startProcesses(processCount)
  const load = Array.from({ length: clients }, (_, name) => startClient(processes, name))
  const count = () => load.reduce((sum, { writes }) => sum + writes.length, 0)
  const more = async (what: string) => {
    const before = count()
    await eventually(what, async () => count() >= before + 5 * clients)
  }
  await more('all clients write')
  for (const old of [...processes.servers]) {
    assert.deepEqual(await old.stop(), { code: 0, signal: null }, 'it finishes what it has begun')
    await more('the others go on alone')
    await processes.replace(old)
    await more('the new one has joined')
  }
  for (const client of load) await client.finish()

  const writes = load.flatMap((client) => client.writes)
  assert.deepEqual(
    load.flatMap(({ strange }) => strange),
    [],
  )
  const healed = writes.filter(({ tries }) => tries > 1).length
  t.diagnostic(`${writes.length} writes, ${healed} of them after a try that failed`)
  assert.ok(healed > 0, 'no client met a process that was gone, so nothing was healed')

  const stored = new Map<string, string>()
  for (let cursor = ''; ; ) {
    const { body } = await processes.at(0).call('GET', `${path}?limit=500${cursor && `&cursor=${cursor}`}`)
    for (const { id, content } of body.entries) {
      assert.ok(!stored.has(content), `${content} is there twice`)
      stored.set(content, id)
    }
    if (!body.cursor) break
    cursor = body.cursor
  }
  assert.deepEqual(new Map(writes.map(({ content, answer }) => [content, answer.body.id])), stored)
  assert.equal((await processes.at(1).call('GET', '/v1/audit/verify')).body.chainValid, true)
})
