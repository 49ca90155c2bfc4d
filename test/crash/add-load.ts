import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../support/child.ts'
import { type Call, createHome, randomKey, type StorageName } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'

/** Servers that are killed while many clients add messages, and clients that retry until they get a response. */

const clients = 24
const users = 5

export type Load = {
  readonly storage: StorageName
  readonly servers: number
  readonly adds: number
  readonly kills: number
}

type Acknowledged = { readonly number: number; readonly jobId: string }

/** Half of the messages compete for a claim, the other half have no claim. */
function bodyOf(number: number) {
  const isRival = number % 2 === 0
  const content = isRival ? `choice ${(number / 2) % 4} of all` : `note number ${number}`
  return {
    external_user_id: `user-${number % users}`,
    infer: false,
    messages: [{ role: 'user', content, ...(isRival ? { claim_key: 'choice' } : {}) }],
    source: {
      service: `service-${number % 3}`,
      event_id: `evt-${number}`,
      observed_at: new Date(Date.UTC(2026, 0, 1 + (number % 9))).toISOString(),
    },
  }
}

/** Retries until there is a response: a server can be killed before, while or after it stores the messages. */
async function addUntilAnswered(number: number, pick: () => Call, onTrouble: () => void): Promise<Acknowledged> {
  for (;;) {
    try {
      const { status, body, text } = await pick()('POST', '/v1/memories/add', bodyOf(number))
      if (status === 202) return { number, jobId: body.job_id }
      assert.ok(status >= 500, `${status} ${text}`)
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
    }
    onTrouble()
    await delay(20)
  }
}

export async function addWithKills({ storage, servers: count, adds, kills }: Load): Promise<void> {
  await using home = await createHome(storage)
  const env = { COLOPHON_BOOTSTRAP_KEY: randomKey(), COLOPHON_OPERATOR_KEY: randomKey() }
  const start = () => startServerProcess({ home, env })
  const servers: ServerProcess[] = []
  for (let n = 0; n < count; n++) servers.push(await start())
  try {
    for (const n of [0, 1, 2]) {
      const rules = { default_priority: 50 + (n % 2) }
      const made = await firstOf(servers)('POST', '/v1/tenant/service-writers', {
        service_key: `service-${n}`,
        authority_rules: rules,
      })
      assert.equal(made.status, 201, made.text)
    }
    let next = 0
    let troubles = 0
    const answered: Acknowledged[] = []
    const pick = () => servers[Math.floor(Math.random() * servers.length)]?.call ?? firstOf(servers)
    const client = async () => {
      while (next < adds) answered.push(await addUntilAnswered(next++, pick, () => void troubles++))
    }
    const adding = Promise.all(Array.from({ length: clients }, client))
    for (let kill = 1; kill <= kills; kill++) {
      // Anywhere in its part of the load, and so anywhere between the receipt of a request and its commit.
      const at = ((kill - 1 + Math.random()) * adds) / (kills + 1)
      await eventually('enough was acknowledged', async () => answered.length >= at)
      const victim = kill % count
      await servers[victim]?.kill()
      servers[victim] = await start()
    }
    await adding
    assert.ok(troubles > 0, 'no client noticed that a server was killed, so this proved nothing')
    await check(firstOf(servers), answered, adds)
  } finally {
    for (const server of servers) await server[Symbol.asyncDispose]()
  }
}

function firstOf(servers: readonly ServerProcess[]): Call {
  const [server] = servers
  assert.ok(server)
  return server.call
}

type Row = Readonly<Record<string, unknown>>

async function pages(call: Call, path: string, member: string): Promise<Row[]> {
  const found: Row[] = []
  for (let cursor = ''; ; ) {
    const separator = path.includes('?') ? '&' : '?'
    const page = await call('GET', `${path}${cursor === '' ? '' : `${separator}cursor=${encodeURIComponent(cursor)}`}`)
    assert.equal(page.status, 200, page.text)
    found.push(...page.body[member])
    cursor = page.body.cursor ?? ''
    if (cursor === '') return found
  }
}

/** Everything acknowledged has been made into memories, once; nothing else is stored, and no job is stuck. */
async function check(call: Call, answered: readonly Acknowledged[], adds: number): Promise<void> {
  assert.equal(answered.length, adds)
  const numbers = Array.from({ length: adds }, (_, n) => n)
  const left = new Set(answered.map(({ jobId }) => jobId))
  assert.equal(left.size, adds, 'a job belongs to one event')
  await eventually('every job has ended', async () => {
    for (const jobId of left) {
      const { status } = (await call('GET', `/v1/memories/jobs/${jobId}`)).body
      assert.notEqual(status, 'dead')
      if (status !== 'completed') return false
      left.delete(jobId)
    }
    return true
  })
  const events = await pages(call, '/v1/tenant/source-events?limit=500', 'data')
  assert.deepEqual(events.map(({ event_id }) => event_id).sort(), numbers.map((n) => `evt-${n}`).sort())
  const jobOf = new Map(events.map(({ event_id, extraction_job_id }) => [event_id as string, extraction_job_id]))
  for (const { number, jobId } of answered) assert.equal(jobOf.get(`evt-${number}`), jobId)
  for (let user = 0; user < users; user++) await checkUser(call, user, numbers)
  for (const status of ['queued', 'leased', 'dead'])
    assert.deepEqual((await call('GET', `/v1/host/colophon/jobs?status=${status}`)).body.jobs, [], status)
  assert.equal((await call('GET', '/v1/audit/verify')).body.chainValid, true)
}

async function checkUser(call: Call, user: number, numbers: readonly number[]): Promise<void> {
  const path = `/v1/memories?external_user_id=user-${user}&limit=50&include_superseded=true`
  const memories = await pages(call, path, 'data')
  const own = numbers.filter((n) => n % users === user)
  const sourcesOf = new Map(memories.map(({ content, sources }) => [content as string, sources as number]))
  assert.equal(sourcesOf.size, memories.length, 'a content is there twice')
  const expected = new Map<string, number>()
  for (const n of own) {
    const content = bodyOf(n).messages[0]?.content ?? ''
    expected.set(content, (expected.get(content) ?? 0) + 1)
  }
  assert.deepEqual(new Map([...sourcesOf].sort()), new Map([...expected].sort()), 'each source counts once')
  const winners = memories.filter(({ claim_key, status }) => claim_key !== null && status === 'active')
  assert.deepEqual(
    winners.map(({ content }) => content),
    [winnerOf(own)],
  )
}

/** By priority of the service, then by day; what is left is the order of the names. */
function winnerOf(numbers: readonly number[]): string {
  const rank = (n: number) => {
    const { source } = bodyOf(n)
    return [n % 3 === 1 ? 0 : 1, -Date.parse(source.observed_at), source.service, source.event_id] as const
  }
  const [best] = numbers
    .filter((n) => n % 2 === 0)
    .sort((a, b) => {
      const [left, right] = [rank(a), rank(b)]
      const at = left.findIndex((part, index) => part !== right[index])
      return (left[at] ?? 0) < (right[at] ?? 0) ? -1 : 1
    })
  return bodyOf(best ?? 0).messages[0]?.content ?? ''
}
