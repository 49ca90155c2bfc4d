// A person with a rare name in every feature that can name one. After the forget the name is in no column of no table, and in no answer.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import Database from 'better-sqlite3'
import { scopes } from '../../src/core/access/scopes.ts'
import { memoriesOf } from '../server/memories-calls.ts'
import { chain, ended, host, keyed, register, startRun, until } from '../server/runs-calls.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { type Call, createHome, type Home, startServer, type Tenant, type TestServer } from '../support/server.ts'
import { counted, everyAnswer, forgotten } from './calls.ts'
import { tracesOf } from './traces.ts'

after(releaseServer)

const succeed = async (answer: ReturnType<Call>) => {
  const { status, text, body } = await answer
  assert.ok(status < 300, text)
  return body
}

/** Every column of every table that has the name in any case, in SQLite as `tracesOf` finds them in PostgreSQL. */
async function columnsWith(home: Home, name: string): Promise<string[]> {
  if (home.env.COLOPHON_DATABASE_URL !== undefined) return tracesOf(home, name)
  const db = new Database(join(home.dataDir, 'colophon.db'), { readonly: true })
  try {
    const tables = db.prepare("select name from sqlite_master where type = 'table' and name not like 'search_key%'")
    return (tables.pluck().all() as string[]).flatMap((table) => {
      const columns = db.prepare(`select name from pragma_table_info('${table}')`).pluck().all() as string[]
      return columns
        .filter((column) => db.prepare(`select 1 from "${table}" where "${column}" like ?`).get(`%${name}%`))
        .map((column) => `${table}.${column}`)
    })
  } finally {
    db.close()
  }
}

const node = (id: string, typeId: string, config: object) => ({ id, typeId, config })

/** Uses as many features as can name a person, for a person of this name. Returns ids to read afterwards. */
async function fill({ call }: Tenant, name: string) {
  const memories = memoriesOf(call)
  const ref = `subject:${name}`
  const post = (path: string, body: object = {}) => succeed(call('POST', path, body))
  const jobEnds = (id: string) =>
    eventually('the job has ended', async () =>
      ['completed', 'dead'].includes((await call('GET', `${host}/jobs/${id}`)).body.status),
    )
  const entriesOf = (memoryRef: string) => `${host}/memory/${encodeURIComponent(memoryRef)}/entries`
  await memories.writer('chat')
  const first = await memories.ingest(name, 'likes tea', {
    body: { agent_id: `agent of ${name}`, metadata: { of: name } },
  })
  await memories.ingest(name, 'likes tea rooms', { claim: 'drink' })
  await succeed(call('PUT', `${host}/aliases`, { subject: name, aliases: [`${name} the First`] }))
  const note = await succeed(
    call('POST', entriesOf('notes'), { content: 'A note.', subject: name, tags: [name] }, keyed(name)),
  )
  // About others, and only readable for the person.
  const shared = await post(entriesOf('shared'), { content: 'A plan of the team.', readers: [name, 'ana'] })
  await post('/v1/memories/add', {
    external_user_id: 'bob',
    infer: false,
    messages: [{ role: 'user', content: 'Bob likes gin.', readers: [name] }],
    readers: [name],
  })
  // Passes over the ref of the person: one that merges something, and one that finds nothing.
  const runs: string[] = []
  for (const _ of [1, 2]) {
    const pass = await post(`${host}/consolidations`, { memoryRef: ref })
    runs.push(pass.runId)
    await jobEnds(pass.jobId)
  }
  await jobEnds((await post(`${host}/compactions`, { memoryRef: ref })).jobId)
  const { id: distillation } = await post(`${host}/distillations`, { memoryRef: ref })
  await eventually(
    'it is distilled',
    async () => (await call('GET', `${host}/distillations/${distillation}`)).body.status !== 'pending',
  )
  await succeed(
    call('POST', `${host}/schedules`, {
      id: 'weekly',
      cron: '0 3 * * 1',
      kind: 'colophon.consolidate',
      payload: { memoryRef: ref },
    }),
  ).catch(() => null)
  // Workflows: one whose config names the person, one that is given the name, and one that only mentions it.
  const read = node('read', 'colophon.memory.list', { memoryRef: ref, into: 'found' })
  await register(
    call,
    chain('fixed', [read], { name: `Reads ${name}`, variables: [{ name: 'who', type: 'string', defaultValue: name }] }),
  )
  await register(call, chain('given', [node('only', 'core.noop', { note: '{{inputs.user}}' })]))
  await register(call, chain('gated', [node('gate', 'core.approvalGate', { title: '{{inputs.user}}' })]))
  for (const [id, draft] of [
    ['fixed', {}],
    ['given', { inputs: { user: name }, metadata: { user: name }, tags: [name] }],
  ] as const) {
    const run = await startRun(call, id, draft)
    runs.push(run)
    await ended(call, run)
  }
  const held = await startRun(call, 'gated', { inputs: { user: name } })
  await until(call, held, 'waits', ({ status }) => status.startsWith('waiting-'))
  runs.push(held)
  await post(`${host}/schedules`, { id: 'daily', cron: '0 3 * * *', workflowId: 'given', inputs: { user: name } })
  await succeed(call('POST', entriesOf('other'), { content: 'About the weather.' }, keyed(`once-for-${name}`)))
  await post(`${host}/heartbeats`, { predicate: 'count', memoryRef: ref, intervalSec: 3600 })
  // People write names into reasons and names of things.
  const key = await post(`${host}/keys`, { name: `Laptop of ${name}`, scopes, reader: name })
  await post(`${host}/keys`, { name: `Phone of ${name.toUpperCase()}`, scopes: ['memory:read'] })
  await succeed(call('PUT', `${host}/rules/badge`, { pattern: 'badge-[0-9]{4}', description: `Badges of ${name}` }))
  const writer = await memories.writer('crm', 80, { display_name: `CRM of ${name}` })
  for (const decision of ['release', 'reject']) {
    const low = await post(entriesOf('notes'), { content: `From a page: ${decision}.`, trust: 'untrusted' })
    await post(`${host}/quarantine/${low.id}:${decision}`, { reason: `Asked ${name}.` })
  }
  await post(`${host}/containments`, { writer: 'crm', reason: `Reported by ${name}` })
  await post(`${host}/forget`, { subject: 'somebody', reason: `Asked for by ${name}` })
  await post('/v1/host/colophon/agents', {
    agentId: 'private.desk.helper',
    persona: `Helper of ${name}`,
    modelClass: 'general',
    systemPrompt: `You help ${name} with the desk.`,
  })
  await call('PUT', `${host}/secrets/token`, { value: randomBytes(24).toString('hex'), scope: 'user', userId: name })
  // What the bound key did for the person.
  return { runs, memories: [first.memory_ids?.[0] ?? note.id, note.id, shared.id], key, writer }
}

for (const storage of ['sqlite', 'postgres'] as const) {
  describe(`a person in every table on ${storage}`, () => {
    let home: Home
    let server: TestServer
    before(async () => {
      home = await createHome(storage)
      server = await startServer({ home })
    })
    after(async () => {
      await server[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    })

    test('is in none after the forget, which counted before what it then erased', async () => {
      const tenant = await server.tenant()
      const { call } = tenant
      const name = `zebulon-quarkenstein-${randomBytes(4).toString('hex')}`
      const { key, ...ids } = await fill(tenant, name)
      const bound = server.as(key.key)
      const run = await startRun(bound, 'given', { inputs: { user: 'somebody' } })
      await ended(bound, run)
      assert.equal((await bound('GET', `${host}/memory/shared/entries`)).body.entries.length, 1)
      const before = await columnsWith(home, name)
      for (const column of ['run_event.payload', 'run.facts', 'run.text', 'admin_record.body', 'schedule.payload'])
        assert.ok(before.includes(column), `${column} can be found: ${before}`)

      const counts = await counted(call, { subject: name })
      assert.ok(
        counts.records >= 9 && counts.schedules >= 1 && counts.readers === 4 && counts.runs >= 4,
        JSON.stringify(counts),
      )
      const done = await forgotten(call, { subject: name })
      assert.deepEqual(done.counts, counts, 'the dry run counted what was then done')
      assert.deepEqual(done.receipt.erased, counts)
      for (const layer of ['runs', 'records', 'schedules', 'readers', 'jobs', 'auditRefs'])
        assert.equal(done.receipt.left[layer], 0, layer)

      assert.deepEqual(await columnsWith(home, name), [])
      assert.deepEqual(await tracesOf(home, name), [])
      const answers = await everyAnswer(call, { runs: [...ids.runs, run], memories: ids.memories })
      assert.ok(!answers.toLowerCase().includes(name), 'an answer still has the name')
      assert.equal(
        (await bound('GET', `${host}/memory/shared/entries`)).status,
        401,
        'the key of the person is revoked',
      )
      const again = await succeed(call('POST', `${host}/keys`, { name: 'new', scopes, reader: name }))
      const { entries } = (await server.as(again.key)('GET', `${host}/memory/shared/entries`)).body
      assert.deepEqual(entries, [], 'the same name gets no rights back')
      const ana = await succeed(call('POST', `${host}/keys`, { name: 'ana', scopes, reader: 'ana' }))
      assert.equal((await server.as(ana.key)('GET', `${host}/memory/shared/entries`)).body.entries.length, 1)
      const verified = (await call('GET', '/v1/audit/verify?contents=true')).body
      assert.equal(verified.chainValid, true, JSON.stringify(verified))
    })
  })
}
