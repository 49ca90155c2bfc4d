import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { fourEvents, fourPriorities } from '../property/claims-events.ts'
import { byName, expectedOf, permutations } from '../property/claims-reference.ts'
import { category, toBody, toComparable } from '../property/claims-world.ts'
import { releaseServer } from '../support/databases.ts'
import { createHome, type Home, randomKey } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { isThorough } from '../support/thorough.ts'
import { host, memoriesOf } from './memories-calls.ts'

after(releaseServer)

describe('two servers on one database with concurrent adds', () => {
  let home: Home
  let left: ServerProcess
  let right: ServerProcess
  before(async () => {
    home = await createHome('postgres')
    const env = { COLOPHON_BOOTSTRAP_KEY: randomKey(), COLOPHON_OPERATOR_KEY: randomKey() }
    left = await startServerProcess({ home, env })
    right = await startServerProcess({ home, env })
  })
  after(async () => {
    for (const part of [left, right, home]) await part[Symbol.asyncDispose]()
  })

  for (const [what, priorities] of Object.entries(fourPriorities)) {
    test(`reach the same decision in every order: decided by ${what}`, async () => {
      for (const order of permutations([0, 1, 2, 3]).filter((_, n) => n % (isThorough ? 3 : 6) === 0)) {
        const { key, call } = await left.tenant()
        const here = memoriesOf(call)
        const there = memoriesOf(right.as(key))
        for (const [service, priority] of Object.entries(priorities))
          await here.writer(service, 0, { authority_rules: { categories: { [category]: priority } } })
        // Each event goes to both servers, so that they also race to ingest it.
        const adds = order
          .flatMap((n) => fourEvents[n] ?? [])
          .flatMap((event) => [here.add(toBody(event)), there.add(toBody(event))])
        const answers = await Promise.all(adds)
        for (const { status, text } of answers) assert.equal(status, 202, text)
        assert.equal(new Set(answers.map(({ body }) => body.job_id)).size, fourEvents.length)
        for (const { body } of answers) assert.equal((await here.done(body.job_id)).status, 'completed')
        const expected = expectedOf(fourEvents, priorities)
        for (const { all, call } of [here, there]) {
          assert.deepEqual((await all('ada')).map(toComparable).sort(byName), expected.memories)
          const { claims } = (await call('GET', `${host}/claims?status=contested`)).body
          assert.equal(claims.length, expected.contested.length)
        }
      }
    })
  }

  test('store many equal statements as one memory with many sources', async () => {
    const { key, call } = await left.tenant()
    const [here, there] = [memoriesOf(call), memoriesOf(right.as(key))]
    await here.writer('a-service', 50)
    const said = [{ content: 'Everybody says so', claim: 'one', confidence: 0.5 }]
    const events = Array.from({ length: 40 }, (_, n) => ({
      service: 'a-service',
      eventId: `evt-${n}`,
      observedAt: '2026-01-01T00:00:00Z',
      user: 'ada',
      said,
    }))
    const answers = await Promise.all(events.map((event, n) => (n % 2 ? here : there).add(toBody(event))))
    for (const { body } of answers) assert.equal((await here.done(body.job_id)).status, 'completed')
    const found = await there.all('ada')
    assert.deepEqual(found.map(toComparable), expectedOf(events, { 'a-service': 50 }).memories)
  })
})
