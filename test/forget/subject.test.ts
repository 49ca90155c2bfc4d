import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { verifyReceipt } from '../../src/core/forget/receipt.ts'
import { openReceiptEnvelope } from '../../src/core/forget/receipt-envelope.ts'
import { addBody, assertRefused, memoriesOf } from '../server/memories-calls.ts'
import { chain, gate, host, keyed, put, register, startRun, until } from '../server/runs-calls.ts'
import { releaseServer } from '../support/databases.ts'
import { createHome, type Home, startServer, type TestServer } from '../support/server.ts'
import { counted, everyAnswer, forgetPath, forgotten, person, prepare, waited } from './calls.ts'
import { tracesOf } from './traces.ts'

after(releaseServer)

for (const storage of ['sqlite', 'postgres'] as const) {
  describe(`a forgotten subject on ${storage}`, () => {
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

    test('is in no response and in no byte afterwards, and other subjects are unchanged', async () => {
      const tenant = await server.tenant()
      const { call } = tenant
      await prepare(tenant)
      const ada = await person(tenant, 'ada-lovelace-1815')
      const bob = await person(tenant, 'bob-babbage-1791')
      const ids = (one: typeof ada) => ({ runs: [one.ended, one.held], memories: [one.memory.id, one.note.id] })
      const of = async (one: typeof ada) => ({
        memories: await one.all(one.name),
        notes: await one.entries(one.ref),
        derived: (await one.entries('derived')).filter(({ content }) => content.includes(one.texts.edited)),
        run: (await call('GET', `/v1/runs/${one.ended}`)).body,
        reads: (await call('GET', `${host}/runs/${one.ended}/reads`)).body,
      })
      const before = await of(bob)
      assert.equal(before.derived.length, 1)
      const words = Object.values(ada.texts)
      for (const word of words.slice(0, 3)) assert.notDeepEqual(await tracesOf(home, word), [], 'the check can find it')
      assert.ok((await everyAnswer(call, ids(ada))).includes(ada.texts.ingested))

      const counts = await counted(call, { subject: ada.name })
      assert.ok(counts.entries >= 3 && counts.runs >= 2 && counts.sourceEvents === 2, JSON.stringify(counts))
      const done = await forgotten(call, { subject: ada.name })
      assert.deepEqual(done.counts, counts, 'the dry run counted what was then done')

      const answers = await everyAnswer(call, ids(ada))
      for (const word of [...words, ada.name]) {
        assert.ok(!answers.includes(word), `an answer still has ${word}`)
        assert.deepEqual(await tracesOf(home, word), [], word)
      }
      assert.ok(!server.logs().includes(ada.texts.ingested))
      assert.deepEqual(await of(bob), before)
      assert.equal((await call('GET', '/v1/audit/verify')).body.chainValid, true)
      assert.equal(done.receipt.physical, storage === 'sqlite' ? 'erased' : 'pending-vacuum-and-wal')
    })

    test('an active run continues without the contents, its replay is refused, and a retry of the event gets source_event_erased', async () => {
      const tenant = await server.tenant()
      const { call } = tenant
      await prepare(tenant)
      const ada = await person(tenant, 'ada')
      await forgotten(call, { subject: 'ada' })
      const { variables } = (await call('GET', `/v1/runs/${ada.held}`)).body
      assert.equal(variables.found, null)
      const { reads } = (await call('GET', `${host}/runs/${ada.held}/reads`)).body
      assert.deepEqual([reads[0].entryIds, reads[0].forgotten], [[], 1])
      const answered = await call('POST', `/v1/runs/${ada.held}/interrupts/gate`, { resumeValue: { action: 'accept' } })
      assert.equal(answered.status, 200, answered.text)
      const ended = await until(call, ada.held, 'ended', ({ status }) => ['completed', 'failed'].includes(status))
      assert.equal(ended.error?.code, 'content_erased', 'it went on, without what it had read')
      for (const mode of ['replay', 'branch']) {
        const fork = await call('POST', `/v1/runs/${ada.ended}:fork`, { mode, fromSeq: mode === 'replay' ? 0 : 5 })
        assert.equal(fork.body.error, 'replay_memory_snapshot_unavailable', fork.text)
        const { reason, cause } = fork.body.details
        assert.deepEqual([reason, cause], ['retention_expired', 'forgotten'])
      }
      const again = await ada.add(addBody('ada', `${ada.texts.ingested} loves tea`, { eventId: ada.texts.event }))
      assertRefused(again, 410, 'PROV_410', 'source_event_erased')
      const [source] = (await call('GET', '/v1/tenant/source-events')).body.data
      assert.deepEqual(Object.keys(source).sort(), ['erased', 'id', 'received_at', 'service'])
      assert.deepEqual((await call('GET', `/v1/tenant/source-events/${source.id}`)).body, source)
      const fresh = await ada.ingest('ada', 'something new')
      assert.equal(fresh.job.memories_created, 1)
      assert.equal((await ada.winner('ada')).content, 'something new')
    })

    test('an active run does not read or write another subject instead', async () => {
      const tenant = await server.tenant()
      const { call } = tenant
      await prepare(tenant)
      const { ingest } = memoriesOf(call)
      for (const user of ['ada', 'null']) await ingest(user, `${user} loves tea`)
      const list = (id: string) => ({
        id,
        typeId: 'colophon.memory.list',
        config: { memoryRef: 'subject:{{inputs.user}}', into: id },
      })
      const asks = (id: string, nodes: Parameters<typeof chain>[1]) => chain(id, [list('before'), gate(), ...nodes])
      const notes = `notes/${'{{inputs.user}}'}`
      await register(call, asks('reads', [list('after')]))
      await register(call, asks('writes', [put('write', 'about {{inputs.user}}', notes)]))
      const runs = { reads: '', writes: '' }
      for (const id of ['reads', 'writes'] as const) {
        runs[id] = await startRun(call, id, { inputs: { user: 'ada' } })
        await until(call, runs[id], 'waits', ({ status }) => status === 'waiting-approval')
      }
      await forgotten(call, { subject: 'ada' })
      const goOn = async (runId: string) => {
        await call('POST', `/v1/runs/${runId}/interrupts/gate`, { resumeValue: { action: 'accept' } })
        return until(call, runId, 'ended', ({ status }) => ['completed', 'failed'].includes(status))
      }
      const read = await goOn(runs.reads)
      assert.deepEqual([read.status, read.variables], ['completed', { before: null, after: [] }])
      const wrote = await goOn(runs.writes)
      assert.deepEqual([wrote.status, wrote.error?.code], ['failed', 'content_erased'])
      const refs = (await call('GET', `${host}/memory?limit=1000`)).body.refs as { memoryRef: string }[]
      assert.deepEqual(
        refs.map(({ memoryRef }) => memoryRef).filter((ref) => !ref.startsWith('runs:')),
        ['subject:null'],
      )
    })

    test('is not restored by a retry of a put, a batch, an edit or a hard-deleted put', async () => {
      const { call } = await server.tenant()
      const entries = `${host}/memory/notes/entries`
      const about = { content: 'Ada prefers tea.', subject: 'ada' }
      const plain = await call('POST', entries, { content: 'Erased by its id.' }, keyed('plain'))
      const put = await call('POST', entries, about, keyed('put'))
      const retries = {
        put: () => call('POST', entries, about, keyed('put')),
        batch: () => call('POST', `${entries}:batch`, { entries: [about, { content: 'x' }] }, keyed('batch')),
        edit: () => call('PATCH', `/v1/memories/${put.body.id}`, { content: 'Ada prefers coffee.' }, keyed('edit')),
        revision: () => call('PATCH', `${entries}/${put.body.id}`, { content: 'Ada prefers water.' }, keyed('revise')),
      }
      for (const retry of Object.values(retries)) assert.ok((await retry()).status < 300)
      await forgotten(call, { subject: 'ada' })
      await call('DELETE', `/v1/memories/${plain.body.id}?hard_delete=true`)
      const all = { ...retries, plain: () => call('POST', entries, { content: 'Erased by its id.' }, keyed('plain')) }
      for (const [name, retry] of Object.entries(all)) {
        const again = await retry()
        assert.deepEqual([again.status, again.body.error], [410, 'content_erased'], `${name}: ${again.text}`)
        assert.ok(!again.text.includes('Ada') && !again.text.includes('by its id'))
      }
      const left = (await call('GET', entries)).body.entries.map(({ content }: { content: string }) => content)
      assert.deepEqual(left, ['x'])
      for (const key of ['plain', 'batch']) assert.deepEqual(await tracesOf(home, `put:${key}`), [])
    })

    test('an unknown subject matches nothing, and entries of others that mention a subject are listed, or erased too', async () => {
      const { call } = await server.tenant()
      const entries = `${host}/memory/notes/entries`
      const put = async (content: string, subject: string) =>
        (await call('POST', entries, { content, subject })).body.id as string
      await put('I like tea.', 'ada')
      const named = await put('Bob met Ada in Canada.', 'bob')
      await put('Bob was in Canada.', 'bob')
      const ask = (body: object) => call('POST', forgetPath, { reason: 'on request', ...body })
      const unknown = await ask({ subject: 'adda', dryRun: true })
      assert.deepEqual([unknown.body.matched, unknown.body.mentions], [0, { count: 0, entries: [] }])
      const nothing = await forgotten(call, { subject: 'adda' })
      assert.deepEqual([nothing.matched, nothing.receipt.note, nothing.receipt.matched], [0, 'nothing matched', 0])
      const seen = (await ask({ subject: 'ada', dryRun: true })).body
      assert.deepEqual([seen.matched, seen.counts.entries], [1, 1])
      assert.deepEqual(seen.mentions, { count: 1, entries: [{ memoryRef: 'notes', id: named }] })
      assert.equal((await ask({ tag: 'x', mentions: 'list' })).status, 400)
      const counts = (await ask({ subject: 'ada', dryRun: true, mentions: 'erase' })).body.counts
      const started = await ask({ subject: 'ada', mentions: 'erase' })
      assert.deepEqual([started.status, started.body.matched, started.body.mentions.count], [202, 1, 1])
      assert.equal((await call('GET', entries)).body.entries.length, 1, 'hidden with the answer')
      const ended = await waited(call, started.body.id)
      assert.deepEqual([ended.counts, ended.mentions, ended.receipt.mentions], [counts, 1, 1])
      assert.deepEqual(await tracesOf(home, 'Bob met Ada'), [])
    })

    test('has a receipt that is verified with the public key of the host, and no other', async () => {
      const tenant = await server.tenant()
      await prepare(tenant)
      const ada = await person(tenant, 'ada-lovelace')
      const { receipt, id } = await forgotten(tenant.call, { subject: 'ada-lovelace' })
      const { publicKey, keyId } = (await server.as(null)('GET', `${host}/signing-key`)).body
      assert.deepEqual(verifyReceipt(receipt, publicKey), { ok: true })
      assert.equal(receipt.signature.keyId, keyId)
      assert.ok(!JSON.stringify(receipt).includes('lovelace'), 'it does not name the subject')
      assert.ok(Object.values(receipt.left).every((count) => count === 0) && 'entries' in receipt.left)
      const envelope = await tenant.call('GET', `${forgetPath}/${id}?format=dsse`)
      assert.deepEqual(openReceiptEnvelope(envelope.body, publicKey), { ok: true, receipt })
      const forged = { ...receipt, erased: { ...receipt.erased, entries: 0 } }
      assert.equal(verifyReceipt(forged, publicKey).ok, false)
      assert.equal(verifyReceipt({ ...receipt, audit: { ...receipt.audit, hash: 'x' } }, publicKey).ok, false)
      const head = { tenant: tenant.id, position: receipt.audit.position, hash: receipt.audit.hash }
      const rows = (await tenant.call('GET', `${host}/audit?limit=1000`)).body
      assert.ok(JSON.stringify(rows).includes(head.hash), 'the head it names is in the chain')
      const listed = (await tenant.call('GET', forgetPath)).body.forgets
      assert.deepEqual(
        listed.map((one: { id: string }) => one.id),
        [id],
      )
      assert.ok(ada.note.id)
    })
  })
}
