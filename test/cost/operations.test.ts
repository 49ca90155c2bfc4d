// What an operation asks of the database, counted: a regression is seen the day it lands, whatever the machine does.
// COLOPHON_UPDATE_COSTS=1 npm test -- test/cost writes the table.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { limits } from '../../src/core/limits.ts'
import { releaseServer } from '../support/databases.ts'
import { type Call, startServer } from '../support/server.ts'
import { type Counted, countStatements, leaveOutPolls, takeCounts, takeStatements } from './statement-counter.ts'

after(releaseServer)
countStatements()

const table = new URL('costs.json', import.meta.url)
const known = JSON.parse(readFileSync(table, 'utf8')) as Record<string, Record<string, Counted>>
const isUpdate = process.env.COLOPHON_UPDATE_COSTS !== undefined
const repeats = 5
const host = '/v1/host/colophon'
const entries = `${host}/memory/notes/entries`
const text = 'Ada prefers tea in the afternoon, and a seat by the window when she travels to Lisbon in spring.'

/** A workflow of nodes without effects, each after the one before. */
function chainOf(id: string, nodeIds: readonly string[]) {
  return {
    ...{ id, name: id, version: '1', triggers: [{ id: 'm', type: 'manual' }] },
    ...{ variables: [], metadata: {}, settings: {} },
    nodes: nodeIds.map((nodeId) => ({
      ...{ id: nodeId, typeId: 'core.noop', name: nodeId },
      ...{ position: { x: 0, y: 0 }, config: {}, inputs: {} },
    })),
    edges: nodeIds.slice(1).map((target, at) => ({ id: target, sourceNodeId: nodeIds[at], targetNodeId: target })),
  }
}
const agentId = 'local.cost.agent'
const agent = {
  ...{ agentId, persona: 'The agent', modelClass: 'general', systemPrompt: 'Be short.' },
  ...{ memoryShape: { longTerm: true }, toolAllowlist: ['memory:remember'] },
}
const workflows = [chainOf('noop', ['n']), chainOf('three', ['a', 'b', 'c'])]

type Operation = (call: Call, nth: number, calls: Calls) => Promise<unknown>
/** Calls with a key that is stored, and the id of an entry that no other repeat has. */
type Calls = { readonly withStoredKey: Call; readonly ids: readonly string[] }

const succeed = async (answer: ReturnType<Call>) => {
  const { status, text: body } = await answer
  assert.ok(status < 300, body)
  return JSON.parse(body || '{}')
}

const operations: Readonly<Record<string, Operation>> = {
  put: (call, nth) => succeed(call('POST', entries, { content: `${text} ${nth}`, tags: ['preference', 'travel'] })),
  'batch of 100': (call, nth) => {
    // Short enough to be scanned at once: above scanInlineCharactersMax the time decides whether a thread scans the rest.
    const batch = Array.from({ length: 100 }, (_, n) => ({
      content: `${text.slice(0, 60)} ${nth} ${n}`,
      tags: ['travel'],
    }))
    return succeed(call('POST', `${entries}:batch`, { entries: batch }))
  },
  'list of 50': (call) => succeed(call('GET', `${entries}?limit=50`)),
  // Beside a put with the configured key: what the authentication of a stored one reads.
  'put with a stored key': (_, nth, { withStoredKey }) =>
    succeed(withStoredKey('POST', entries, { content: `${text} ${nth}`, tags: ['preference', 'travel'] })),
  get: (call, nth, { ids }) => succeed(call('GET', `${entries}/${ids[nth]}`)),
  delete: (call, nth, { ids }) => succeed(call('DELETE', `${entries}/${ids[nth]}`)),
  search: (call) => succeed(call('POST', `${host}/memory/notes/search`, { query: 'seat by the window', limit: 10 })),
  'add, and its memory': async (call, nth) => {
    const messages = [{ role: 'user', content: `I prefer tea number ${nth}.` }]
    const source = { service: 'crm', event_id: `event-${nth}`, observed_at: '2026-06-11T09:55:00Z' }
    await succeed(call('POST', '/v1/memories/add', { external_user_id: `user-${nth}`, messages, source }))
  },
  'no-op run': (call) => succeed(call('POST', '/v1/runs', { workflowId: 'noop' })),
  'no-op run in version 2': (call) => succeed(call('POST', '/runs', { workflowId: 'noop' })),
  'run of three pure nodes': (call) => succeed(call('POST', '/v1/runs', { workflowId: 'three' })),
  'agent step by rules': (call, nth) =>
    succeed(call('POST', '/v1/runs', { agentId, inputs: { task: `Remember that ${text} ${nth}` } })),
}

/** Waits until what an operation left to be done in the background is done. */
async function settle(): Promise<Counted> {
  const sums = takeCounts()
  for (let quiet = 0; quiet < 3; ) {
    await delay(40)
    const more = takeCounts()
    quiet = more.statements === 0 ? quiet + 1 : 0
    for (const name of Object.keys(sums) as (keyof Counted)[])
      (sums as Record<string, number>)[name] = sums[name] + more[name]
  }
  return sums
}

for (const storage of ['sqlite', 'postgres'] as const) {
  test(`operations on ${storage} cost what test/cost/costs.json says`, async (t) => {
    // As it is by default: with row-level security each transaction has one statement more.
    const env = storage === 'postgres' ? { COLOPHON_DATABASE_RLS: 'off' } : {}
    await using server = await startServer({ storage, env })
    for (const workflow of workflows) await succeed(server.call('POST', `${host}/workflows`, workflow))
    await succeed(server.call('POST', `${host}/agents`, agent))
    await succeed(server.call('POST', '/v1/tenant/service-writers', { service_key: 'crm' }))
    const { key } = await succeed(server.call('POST', `${host}/keys`, { name: 'stored', scopes: ['memory:write'] }))
    const { entries: stored } = await succeed(
      server.call('POST', `${entries}:batch`, { entries: Array.from({ length: 200 }, () => ({ content: text })) }),
    )
    const calls = { withStoredKey: server.as(key), ids: stored.map(({ id }: { id: string }) => id) }
    for (const operation of Object.values(operations)) await operation(server.call, 0, calls)
    await settle()
    takeStatements()
    await delay(1_000)
    leaveOutPolls()
    const measured: Record<string, Counted> = {}
    for (const [name, operation] of Object.entries(operations)) {
      for (let nth = 1; nth < 3; nth += 1) await operation(server.call, nth, calls)
      await settle()
      const samples: Counted[] = []
      for (let nth = 0; nth < repeats; nth += 1) {
        // On a shared database the key is read again after this time: once in every repeat, not in some of them.
        if (storage === 'postgres') await delay(limits.credentialCacheMs)
        takeStatements()
        takeCounts()
        await operation(server.call, 100 + nth, calls)
        samples.push(await settle())
        if (process.env.COLOPHON_SHOW_COSTS === name) console.log(samples.at(-1), takeStatements())
      }
      measured[name] = usual(samples)
      t.diagnostic(
        `${name}: ${JSON.stringify(samples.map(({ statements, rowsWritten }) => [statements, rowsWritten]))}`,
      )
    }
    // What the background was to do is done: otherwise it was not counted.
    const { data } = await succeed(server.call('GET', '/v1/memories?external_user_id=user-100'))
    assert.equal(data.length, 1)
    const { runs } = await succeed(server.call('GET', `${host}/runs?status=completed&limit=50`))
    assert.equal(runs.length, (workflows.length + 2) * (3 + repeats))
    // A step of an agent without a model: creating the run, and executing it.
    assert.ok((measured['agent step by rules']?.commits ?? 9) <= 3, 'an agent step takes at most 3 commits')
    const { statements, commits } = measured['no-op run'] ?? {}
    const { statements: statementsIn2, commits: commitsIn2 } = measured['no-op run in version 2'] ?? {}
    assert.deepEqual([statementsIn2, commitsIn2], [statements, commits], 'version 2 takes the same statements')
    if (isUpdate) {
      writeFileSync(
        table,
        `${JSON.stringify({ ...JSON.parse(readFileSync(table, 'utf8')), [storage]: measured }, null, 2)}\n`,
      )
      return
    }
    assert.deepEqual(measured, known[storage])
  })
}

/** What most repeats cost. A busy machine may end a repeat before its work in the background has begun. */
function usual(samples: readonly Counted[]): Counted {
  const same = (one: Counted) => samples.filter((other) => JSON.stringify(other) === JSON.stringify(one)).length
  return samples.reduce((best, one) =>
    same(one) > same(best) || (same(one) === same(best) && one.statements < best.statements) ? one : best,
  )
}
