import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { scopes } from '../../src/core/access/scopes.ts'
import { releaseServer } from '../support/databases.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'
import { contents, host, memoriesOf, prepareReading } from './memories-calls.ts'

after(releaseServer)

for (const storage of storagesOfBehaviour) {
  describe(`what a job decided on ${storage}`, () => {
    const server = useServer({ storage })

    test('a statement that is outranked is announced as overruled, by whom and why, and is not counted as created', async () => {
      const { ingest, winner, all, call } = await prepareReading(server)
      await ingest('ada', 'light mode', { service: 'crm', eventId: 'first' })
      const { id: by } = await winner('ada')
      const { job } = await ingest('ada', 'dark mode', { service: 'chat' })
      const loser = (await all('ada')).find(({ content }: { content: string }) => content === 'dark mode')
      const why = `The memory ${by} of crm outranks it: priority 80 over 50.`
      assert.deepEqual(job.decided, [{ memory_id: loser.id, outcome: 'overruled', by, why }])
      assert.deepEqual([job.memories_created, job.memories_superseded, job.why], [0, 0, why])
      const { result } = (await call('GET', `${host}/jobs/${job.job_id}`)).body
      assert.deepEqual([result.decided, result.why, result.memories_created], [job.decided, why, 0])
      const again = await ingest('ada', 'Light mode.', { service: 'chat' })
      assert.deepEqual(
        again.job.decided.map(({ why: _text, ...rest }: { why: string }) => rest),
        [{ memory_id: by, outcome: 'confirmed' }],
      )
      assert.match(again.job.why, /one more source/)
    })

    test('of several contents of one event each has its outcome, in order, and the winner names what it superseded', async () => {
      const { ingest, add, done, winner } = await prepareReading(server)
      await ingest('ada', 'light mode')
      const { id: over } = await winner('ada')
      const say = (content: string, claim_key: string, confidence = 1) => ({
        role: 'user',
        content,
        category: 'preference',
        claim_key,
        confidence,
      })
      const messages = [say('tea', 'drink'), say('dark mode', 'ui.theme', 0.9), say('sepia', 'ui.theme', 0.8)]
      const body = { external_user_id: 'ada', infer: false, messages, source: { service: 'crm', event_id: 'three' } }
      const job = await done((await add(body)).body.job_id)
      const [tea, dark, sepia] = job.decided
      assert.deepEqual([tea.outcome, tea.over, dark.outcome, dark.over], ['current', undefined, 'current', over])
      assert.deepEqual([sepia.outcome, sepia.by], ['overruled', dark.memory_id])
      assert.match(dark.why, /superseded the memory mem_\S+ of chat: priority 80 over 50/)
      assert.match(sepia.why, /confidence 0\.9 over 0\.8/)
      assert.deepEqual([job.memories_created, job.memories_superseded, job.why], [2, 1, undefined])
    })

    test('a reader learns that it was overruled, and nothing about a memory that it cannot see', async () => {
      const { call } = await server.tenant()
      const { writer, ingest, winner } = memoriesOf(call)
      await writer('secret-desk', 90)
      await writer('chat', 10)
      await ingest('ada', 'light mode', { service: 'secret-desk', body: { readers: ['ben'] } })
      const { id } = await winner('ada')
      const made = await call('POST', `${host}/keys`, { name: 'ana', scopes, reader: 'ana' })
      const ana = memoriesOf(server.as(made.body.key))
      const { job } = await ana.ingest('ada', 'dark mode', { service: 'chat' })
      const [{ outcome, why, by }] = job.decided
      assert.deepEqual([outcome, by, why], ['overruled', undefined, 'Another content outranks it.'])
      const single = (await server.as(made.body.key)('GET', `${host}/jobs/${job.job_id}`)).text
      for (const text of [JSON.stringify(job), single]) {
        for (const hidden of [id, 'secret-desk', 'light', 'priority']) assert.ok(!text.includes(hidden), hidden)
        // As a number of its own: ids and instants may contain these digits.
        assert.doesNotMatch(text, /\b90\b/)
      }
      const seen = (await call('GET', `/v1/memories/jobs/${job.job_id}`)).body.decided[0]
      assert.deepEqual([seen.by, /secret-desk.*priority 90 over 10/.test(seen.why)], [id, true])
    })

    test('once the winner is erased, its writer and figures are no longer shown', async () => {
      const { ingest, winner, call } = await prepareReading(server)
      await ingest('ada', 'light mode', { service: 'crm' })
      const { id } = await winner('ada')
      const { job } = await ingest('ada', 'dark mode', { service: 'chat' })
      assert.equal((await call('DELETE', `/v1/memories/${id}?hard_delete=true`)).status, 200)
      const { decided } = (await call('GET', `/v1/memories/jobs/${job.job_id}`)).body
      assert.deepEqual([decided[0].outcome, decided[0].why], ['overruled', 'Another content outranks it.'])
      assert.deepEqual(contents((await call('GET', '/v1/memories?external_user_id=ada')).body.data), ['dark mode'])
    })

    test('a content that is current and in quarantine is announced so, until it is released', async () => {
      const { ingest, call } = await prepareReading(server)
      const { job } = await ingest('ada', 'dark mode', { body: { trust: 'untrusted' } })
      const [{ outcome, quarantined, why, memory_id }] = job.decided
      assert.deepEqual([outcome, quarantined], ['current', true])
      assert.match(
        why,
        / It is in quarantine, because its class is untrusted: reads leave it out until a person releases it\.$/,
      )
      assert.deepEqual((await call('GET', '/v1/memories?external_user_id=ada')).body.data, [])
      const released = await call('POST', `${host}/quarantine/${memory_id}:release`, { reason: 'checked' })
      assert.equal(released.status, 200, released.text)
      const [then] = (await call('GET', `/v1/memories/jobs/${job.job_id}`)).body.decided
      assert.deepEqual([then.quarantined, /quarantine/.test(then.why)], [undefined, false])
    })

    test('a job that created nothing says why', async () => {
      const { add, done } = await prepareReading(server)
      const whyOf = async (messages: object[]) => {
        const job = await done((await add({ external_user_id: 'ada', messages })).body.job_id)
        assert.deepEqual([job.memories_created, job.decided], [0, []])
        return job.why
      }
      assert.match(await whyOf([{ role: 'assistant', content: 'I like opera.' }]), /No message is from a user/)
      assert.match(await whyOf([{ role: 'user', content: 'What time is it?' }]), /Nothing to remember was found/)
    })

    test('the list of all jobs has the counts of an ingest job, and not what it decided', async () => {
      const { ingest, call } = await prepareReading(server)
      const { job } = await ingest('ada', 'dark mode')
      const { jobs } = (await call('GET', `${host}/jobs?limit=10`)).body
      const { result } = jobs.find(({ id }: { id: string }) => id === job.job_id)
      assert.deepEqual([result.memories_created, result.decided, result.extractor], [1, undefined, 'verbatim'])
    })
  })
}
