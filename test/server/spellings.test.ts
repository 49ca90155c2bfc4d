// One person whose id is written in two Unicode forms: José with one character for é, and with two.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { counted, forgetPath, forgotten } from '../forget/calls.ts'
import { releaseServer } from '../support/databases.ts'
import { type Call, storagesOfBehaviour, useServer } from '../support/server.ts'
import { addBody, host, memoriesOf } from './memories-calls.ts'
import { chain, ended, keyed, put, register, startRun } from './runs-calls.ts'

after(releaseServer)

const composed = 'Jos\u00e9'
const decomposed = 'Jose\u0301'
const both = [composed, decomposed]
const q = encodeURIComponent
const entriesOf = (ref: string) => `${host}/memory/${q(ref)}/entries`

const succeed = async (answer: ReturnType<Call>) => {
  const { status, text, body } = await answer
  assert.ok(status < 300, text)
  return body
}

for (const storage of storagesOfBehaviour) {
  describe(`spellings of a person on ${storage}`, () => {
    const server = useServer({ storage })

    test('every read finds the person in either spelling, and the stored one is shown', async () => {
      const { call } = await server.tenant()
      const { writer, ingest } = memoriesOf(call)
      await writer('chat')
      await ingest(decomposed, 'likes green tea', { eventId: 'e1' })
      await succeed(call('PUT', `${host}/aliases`, { subject: composed, aliases: ['Pepe'] }))
      await succeed(call('POST', entriesOf('notes'), { content: 'A note on the tea.', subject: composed }))
      const reads = (name: string): Record<string, ReturnType<Call>> => ({
        list: call('GET', `/v1/memories?external_user_id=${q(name)}`),
        filtered: call('GET', `/v1/memories?external_user_id=${q(name)}&categories=preference`),
        retrieve: call('POST', '/v1/memories/retrieve', { external_user_id: name, query: 'green tea' }),
        claims: call('GET', `${host}/claims?subject=${q(name)}`),
        timeline: call('GET', `${host}/timeline?subject=${q(name)}`),
        events: call('GET', `/v1/tenant/source-events?external_user_id=${q(name)}`),
        aliases: call('GET', `${host}/aliases?subject=${q(name)}`),
        entries: call('GET', entriesOf(`subject:${name}`)),
        matching: call('GET', `${entriesOf('notes')}?filter=${q(JSON.stringify({ subject: name }))}`),
        search: call('POST', `${host}/memory/${q(`subject:${name}`)}/search`, { query: 'tea' }),
        about: call('POST', `${host}/memory/notes/search`, { query: 'tea', subject: name }),
        tenant: call('POST', `${host}/search`, { query: 'tea', subject: name }),
      })
      const [first, second] = both.map(reads) as [ReturnType<typeof reads>, ReturnType<typeof reads>]
      const without = ['retrieval_id', 'retrievalId', 'subject', 'relevance']
      const shown = (body: unknown) =>
        JSON.stringify(body, (name, value) => (without.includes(name) ? undefined : value))
      for (const name of Object.keys(first)) {
        const [one, other] = [
          await succeed(first[name] as ReturnType<Call>),
          await succeed(second[name] as ReturnType<Call>),
        ]
        assert.equal(shown(one), shown(other), name)
        assert.match(shown(one), /mem_|src_/, `${name} finds something`)
        assert.ok(!JSON.stringify(one).includes(`subject:${composed}`), `${name}: the stored spelling stays`)
      }
      const exported = await call('GET', `${host}/export?subject=${q(composed)}`)
      assert.match(exported.text, /green tea/)
    })

    test('claims, retries of events and puts are the same in either spelling', async () => {
      const { call } = await server.tenant()
      const { writer, ingest, add, winner } = memoriesOf(call)
      await writer('chat', 50)
      await writer('crm', 80)
      const first = await ingest(decomposed, 'likes dark mode', { eventId: 'e1' })
      await ingest(composed, 'likes light mode', { service: 'crm', eventId: 'e2' })
      const { claims } = await succeed(call('GET', `${host}/claims?subject=${q(composed)}`))
      assert.deepEqual([claims.length, (await winner(decomposed)).content], [1, 'likes light mode'])
      for (const name of both) {
        const again = await add(addBody(name, 'likes dark mode', { eventId: 'e1' }))
        assert.deepEqual([again.status, again.body.job_id], [202, first.job_id], again.text)
      }
      const note = { content: 'A note.', subject: composed }
      const once = await succeed(call('POST', entriesOf('notes'), note, keyed('k')))
      const twice = await succeed(call('POST', entriesOf('notes'), note, keyed('k')))
      assert.equal(once.id, twice.id)
      // A run reads and writes the same person.
      await register(call, chain('writes', [put('write', 'Written by a run.', `subject:${composed}`)]))
      const run = await ended(call, await startRun(call, 'writes'))
      assert.equal(run.status, 'completed', JSON.stringify(run.error))
      const refs = (await succeed(call('GET', `${host}/memory?limit=100`))).refs as { memoryRef: string }[]
      const people = refs.map(({ memoryRef }) => memoryRef).filter((ref) => ref.startsWith('subject:'))
      assert.deepEqual(people, [`subject:${decomposed}`])
      const { entries } = (await succeed(call('GET', entriesOf(`subject:${composed}`)))) as {
        entries: { id: string }[]
      }
      const [written] = entries
      await succeed(call('DELETE', `${entriesOf(`subject:${composed}`)}/${written?.id}`))
      assert.equal((await succeed(call('GET', entriesOf(`subject:${decomposed}`)))).entries.length, entries.length - 1)
      const config = { memoryRef: `subject:${composed}`, id: entries[1]?.id }
      await register(call, chain('deletes', [{ id: 'delete', typeId: 'colophon.memory.delete', config }]))
      const deleting = await ended(call, await startRun(call, 'deletes'))
      assert.equal(deleting.status, 'completed', JSON.stringify(deleting.error))
      const left: { id: string }[] = (await succeed(call('GET', entriesOf(`subject:${decomposed}`)))).entries
      assert.ok(left.every(({ id }) => id !== entries[1]?.id))
    })

    test('a forget in one spelling takes the other, and leaves no spelling behind', async () => {
      const { call } = await server.tenant()
      const { writer, ingest, list } = memoriesOf(call)
      await writer('chat')
      await ingest(decomposed, 'likes green tea')
      await succeed(call('POST', entriesOf('shared'), { content: 'A plan.', readers: [composed] }))
      await register(call, chain('given', [{ id: 'only', typeId: 'core.noop' }]))
      const runId = await startRun(call, 'given', { inputs: { user: composed, other: decomposed } })
      await ended(call, runId)
      const refused = await call('POST', forgetPath, { subject: composed, reason: `For ${decomposed}` })
      assert.equal(refused.status, 400, 'the reason has the name')
      const counts = await counted(call, { subject: composed })
      const done = await forgotten(call, { subject: composed })
      assert.deepEqual(done.counts, counts)
      assert.ok(
        counts.entries === 1 && counts.records === 1 && counts.runs === 1 && counts.readers === 1,
        JSON.stringify(counts),
      )
      for (const name of both) {
        assert.deepEqual(await list(name), [])
        const listed = await succeed(call('GET', `${forgetPath}?subject=${q(name)}`))
        assert.deepEqual(
          listed.forgets.map(({ id }: { id: string }) => id),
          [done.id],
        )
      }
      // The spelling that comes now is the first one.
      await ingest(composed, 'is new here')
      assert.equal((await list(decomposed)).length, 1)
      assert.equal(done.receipt.left.spellings, 0)
    })
  })
}
