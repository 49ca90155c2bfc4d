import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { forgotten } from '../forget/calls.ts'
import { tracesOf } from '../forget/traces.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import {
  type Call,
  createHome,
  type Home,
  startServer,
  storagesOfBehaviour,
  type TestServer,
} from '../support/server.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const indexPath = '/v1/host/workspace/files/MEMORY-INDEX.json'

function distillationsOf(call: Call) {
  const entriesOf = (memoryRef: string) => `${host}/memory/${encodeURIComponent(memoryRef)}/entries`
  const put = async (content: string, rest: object = {}, memoryRef = 'agents/ada'): Promise<string> => {
    const { status, body, text } = await call('POST', entriesOf(memoryRef), { content, ...rest })
    assert.equal(status, 201, text)
    return body.id
  }
  const ask = (body: object = {}) => call('POST', `${host}/distillations`, { memoryRef: 'agents/ada', ...body })
  const get = async (id: string) => (await call('GET', `${host}/distillations/${id}`)).body
  const distill = async (body: object = {}) => {
    const { status, body: started, text } = await ask(body)
    assert.equal(status, 202, text)
    await eventually('the job has ended', async () => (await get(started.id)).status !== 'pending')
    return get(started.id)
  }
  const archive = (id: string, memoryRef = 'agents/ada') => call('GET', `${entriesOf(memoryRef)}/${id}`)
  return { put, ask, get, distill, archive, call }
}

for (const storage of storagesOfBehaviour) {
  describe(`distillations on ${storage}`, () => {
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
    const open = async () => distillationsOf((await server.tenant()).call)

    test('a dry run names the smallest budget, and a smaller one is refused with it', async () => {
      const { put, ask, call } = await open()
      await put('Ada likes tea.')
      await put('Bob likes coffee.')
      const { status, body } = await ask({ dryRun: true })
      assert.equal(status, 200)
      const minimumRequired = 16 + 4 + 5 + 4
      assert.deepEqual(body, {
        memoryRef: 'agents/ada',
        sourceCount: 2,
        tokenBudget: 1_000_000,
        inputTokens: 9,
        minimumRequired,
      })
      const refused = await ask({ tokenBudget: minimumRequired - 1 })
      assertError(refused, 422, 'token_budget_exceeded')
      const { hint: _hint, ...details } = refused.body.details
      assert.deepEqual(details, { budget: minimumRequired - 1, minimumRequired })
      assert.equal((await call('GET', indexPath)).status, 404)
      assert.deepEqual((await call('GET', `${host}/distillations`)).body, { distillations: [] })
      assert.deepEqual((await call('GET', `${host}/jobs`)).body.jobs, [])
      for (const wrong of [{ tokenBudget: 0 }, { tokenBudget: 1.5 }, { memoryRef: 'workspace:default' }, { more: 1 }])
        assert.equal((await ask(wrong)).status, 400)
    })

    test('a distillation has an archive, a colophon, an index and a list; an undo ends it', async () => {
      const { put, distill, archive, call } = await open()
      const ids = [await put('Ada likes tea.'), await put('Bob likes coffee.')]
      const made = await distill({ tokenBudget: 8_000 })
      assert.deepEqual(
        [made.status, made.sourceIds, made.tokenBudget, made.summariser],
        ['completed', ids, 8_000, 'extractive'],
      )
      const read = await archive(made.archiveId)
      assert.equal(read.body.content, 'Ada likes tea.\nBob likes coffee.')
      const path = `${host}/memory/agents%2Fada/entries/${made.archiveId}/colophon`
      assert.equal((await call('GET', path)).body.derivedFrom.compactionId, made.id)
      const index = JSON.parse((await call('GET', indexPath)).body.content)
      assert.equal(index.refs['agents/ada'].archiveId, made.archiveId)
      assert.ok(!JSON.stringify(index).includes('tea'))
      const { distillations } = (await call('GET', `${host}/distillations?memoryRef=agents%2Fada`)).body
      assert.deepEqual(distillations, [made])
      assert.deepEqual((await call('GET', `${host}/compactions`)).body, { compactions: [] })
      const undone = await call('POST', `${host}/distillations/${made.id}:undo`)
      assert.equal(undone.body.status, 'undone')
      assert.equal((await archive(made.archiveId)).status, 404)
      assert.deepEqual(JSON.parse((await call('GET', indexPath)).body.content), { version: 1, refs: {} })
      assertError(await call('POST', `${host}/distillations/${made.id}:undo`), 409, 'compaction_state')
      const verdict = (await call('GET', '/v1/audit/verify?contents=true')).body
      assert.deepEqual([verdict.chainValid, verdict.anomalies], [true, []])
    })

    test('a forget erases archives of the subject, and their refs from every version of the index', async () => {
      const { put, distill, archive, call } = await open()
      await put('Ada likes tea.')
      await distill()
      const name = 'Quentin-Vexworthy-77'
      await put(`${name} likes cocoa.`, { subject: name }, `people/${name}`)
      await put('Somebody likes milk.', {}, `people/${name}`)
      const made = await distill({ memoryRef: `people/${name}` })
      await put('Bob likes coffee.')
      await distill()
      assert.ok(JSON.stringify((await call('GET', indexPath)).body).includes(name))
      await forgotten(call, { subject: name })
      assert.equal((await archive(made.archiveId, `people/${name}`)).status, 404)
      for (const version of [1, 2, 3]) {
        const { status, text } = await call('GET', `${indexPath}?version=${version}`)
        assert.equal(status, 200)
        assert.ok(!text.includes(name), `version ${version}`)
      }
      assert.ok((await call('GET', indexPath)).text.includes('agents/ada'))
      const verdict = (await call('GET', '/v1/audit/verify?contents=true')).body
      assert.deepEqual([verdict.chainValid, verdict.anomalies], [true, []])
    })

    test('a forget of a ref leaves no byte of it in archives and in versions of the index', async () => {
      const { put, distill, call } = await open()
      const [name, word] = ['Isolde-Brackenfield-58', 'heliotrope-quibbling-4471']
      await put(`Somebody likes ${word}.`, {}, `people/${name}`)
      await distill({ memoryRef: `people/${name}` })
      await put('Ada likes tea.')
      await distill()
      for (const text of [name, word]) assert.notDeepEqual(await tracesOf(home, text), [], 'the check can find it')
      await forgotten(call, { memoryRef: `people/${name}` })
      for (const text of [name, word]) assert.deepEqual(await tracesOf(home, text), [], text)
      assert.ok((await call('GET', indexPath)).text.includes('agents/ada'))
    })

    test('an export and an import keep the archive, its budget and its sources', async () => {
      const { put, distill, call } = await open()
      await put('Ada likes tea.')
      const made = await distill({ tokenBudget: 500 })
      const exported = (await call('GET', `${host}/export`)).text
      const other = await server.tenant()
      const { archive, get } = distillationsOf(other.call)
      const imported = await other.call('POST', `${host}/import`, exported, { 'content-type': 'application/x-ndjson' })
      assert.equal(imported.status, 200, imported.text)
      const { at, ...facts } = made
      assert.partialDeepStrictEqual(await get(made.id), { ...facts, at })
      assert.equal((await archive(made.archiveId)).body.content, 'Ada likes tea.')
      assert.ok((await other.call('GET', indexPath)).text.includes(made.archiveId))
    })
  })
}
