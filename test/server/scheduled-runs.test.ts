import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Call, storagesOfBehaviour, useServer } from '../support/server.ts'
import { chain, ended, noop, put, register, runsOf } from './runs-calls.ts'

after(releaseServer)

const schedules = '/v1/host/colophon/schedules'
const workflows = '/v1/host/colophon/workflows'
const dayMs = 24 * 60 * 60 * 1_000

async function onlyRun(call: Call): Promise<string> {
  let runs: string[] = []
  await eventually('the run is there', async () => {
    runs = await runsOf(call)
    return runs.length > 0
  })
  assert.equal(runs.length, 1)
  return runs[0] ?? ''
}

const listed = async (call: Call) =>
  ((await call('GET', schedules)).body.schedules as { id: string; isHosts: boolean }[]).filter(
    ({ isHosts }) => !isHosts,
  )

for (const storage of storagesOfBehaviour) {
  describe(`schedules that start runs on ${storage}`, () => {
    const server = useServer({ storage })

    test('a delayed schedule starts one run with its inputs, and is over afterwards', async () => {
      const { call } = await server.tenant()
      await register(call, chain('visit', [put('note', 'Ada is {{inputs.mood}}.')]))
      const draft = { id: 'soon', delayMs: 30, workflowId: 'visit', inputs: { mood: 'well' } }
      const made = await call('POST', schedules, draft)
      assert.equal(made.status, 201, made.text)
      const run = await ended(call, await onlyRun(call))
      assert.deepEqual([run.status, run.metadata], ['completed', { scheduleId: 'soon', dueAt: made.body.at }])
      assert.match(run.owner.principal, /^key:/, 'the run acts for the key that stored the schedule')
      const { body } = await call('GET', '/v1/host/colophon/memory/notes/entries')
      assert.equal(body.entries[0].content, 'Ada is well.')
      const [over] = (await listed(call)) as unknown as { status: string; lastDueAt: string }[]
      assert.deepEqual([over?.status, over?.lastDueAt], ['over', made.body.at])
      assert.equal((await runsOf(call)).length, 1)
    })

    test('a key without runs:create stores, declares and starts no run by a schedule', async () => {
      const { call } = await server.tenant()
      const triggers = [{ id: 't', type: 'schedule', config: { cron: '0 9 * * 1' } }]
      await register(call, chain('visit', [noop()]))
      const made = await call('POST', '/v1/host/colophon/keys', { name: 'a', scopes: ['memory:admin'] })
      const admin = server.as(made.body.key)
      const draft = { id: 'weekly', cron: '0 9 * * 1', workflowId: 'visit' }
      const refused = [await admin('POST', schedules, draft)]
      refused.push(await admin('POST', workflows, { ...chain('other', [noop()]), triggers }))
      assert.equal((await call('POST', schedules, draft)).status, 201)
      refused.push(await admin('POST', `${schedules}/weekly:run`))
      for (const answer of refused) {
        assertError(answer, 403, 'forbidden')
        assert.equal(answer.body.details.requiredScope, 'runs:create')
      }
      assert.deepEqual(await runsOf(call), [])
    })

    test('run now starts a run besides the due times, once per idempotency key', async () => {
      const { call } = await server.tenant()
      await register(call, chain('visit', [noop()]))
      const draft = { id: 'weekly', cron: '0 9 * * 1', timezone: 'Asia/Tokyo', workflowId: 'visit', missed: 'skip' }
      const made = await call('POST', schedules, draft)
      assert.match(made.body.nextDueAt, /T00:00:00\.000Z$/)
      assert.deepEqual([made.body.cron, made.body.timezone], ['0 9 * * 1', 'Asia/Tokyo'])
      for (const _ of [1, 2]) await call('POST', `${schedules}/weekly:run`, undefined, { 'idempotency-key': 'k' })
      assert.deepEqual((await ended(call, await onlyRun(call))).metadata, { scheduleId: 'weekly' })
    })

    test('triggers of a workflow become schedules, follow its versions, and go with them', async () => {
      const { call } = await server.tenant()
      const trigger = (config: object, more: object = {}) => ({ id: 't1', type: 'schedule', config, ...more })
      await register(call, chain('daily', [noop()], { triggers: [trigger({ cron: '0 3 * * *', inputs: { a: 1 } })] }))
      const [first] = (await listed(call)) as unknown as { id: string; cron: string; payload: unknown }[]
      assert.deepEqual([first?.cron, first?.payload], ['0 3 * * *', { workflowId: 'daily', inputs: { a: 1 } }])
      await call('POST', `${schedules}/${first?.id}:pause`)
      await register(call, chain('daily', [noop()], { triggers: [trigger({ cron: '0 3 * * *', inputs: { a: 1 } })] }))
      assert.equal(((await listed(call))[0] as unknown as { status: string }).status, 'paused')
      await register(call, chain('daily', [noop()], { triggers: [trigger({ cron: '0 4 * * *' })] }))
      const [second] = (await listed(call)) as unknown as { id: string; cron: string; status: string }[]
      assert.deepEqual([second?.id, second?.cron, second?.status], [first?.id, '0 4 * * *', 'active'])
      const off = trigger({ cron: '0 4 * * *' }, { enabled: false })
      await register(call, chain('daily', [noop()], { triggers: [off] }))
      assert.deepEqual(await listed(call), [])
      const wrong = chain('daily', [noop()], { triggers: [trigger({ cron: 'soon' })] })
      const refused = await call('POST', workflows, wrong)
      assertError(refused, 400, 'validation_error')
      assert.equal(refused.body.details.field, 'triggers[0].config.cron')
      const dated = chain('daily', [noop()], { triggers: [trigger({ calendar: 'holidays' })] })
      const byCalendar = await call('POST', workflows, dated)
      assertError(byCalendar, 400, 'validation_error')
      assert.equal(byCalendar.body.details.field, 'triggers[0].config.calendar')
      assert.match(byCalendar.body.message, /no calendars.*cron/)
      assertError(
        await call('POST', workflows, chain('daily', [noop()], { triggers: [trigger({ every: 'day' })] })),
        400,
        'validation_error',
      )
    })

    test('a repeated call changes nothing that came after its first one', async () => {
      const { call } = await server.tenant()
      await register(call, chain('visit', [noop()]))
      const draft = { id: 'nightly', cron: '0 3 * * *', workflowId: 'visit' }
      const keyed = (key: string) => ({ 'idempotency-key': key })
      await call('POST', schedules, draft, keyed('put'))
      await call('POST', `${schedules}/nightly:pause`, undefined, keyed('pause'))
      await call('POST', `${schedules}/nightly:resume`)
      await call('POST', `${schedules}/nightly:pause`, undefined, keyed('pause'))
      assert.deepEqual(
        (await listed(call)).map((each) => (each as unknown as { status: string }).status),
        ['active'],
      )
      await call('DELETE', `${schedules}/nightly`, undefined, keyed('delete'))
      assert.equal((await call('POST', schedules, draft, keyed('put'))).status, 404)
      assert.deepEqual(await listed(call), [])
      await call('POST', schedules, draft)
      await call('DELETE', `${schedules}/nightly`, undefined, keyed('delete'))
      assert.equal((await listed(call)).length, 1)
      const later = { id: 'later', delayMs: 60_000, workflowId: 'visit' }
      const first = await call('POST', schedules, later, keyed('later'))
      assert.deepEqual((await call('POST', schedules, later, keyed('later'))).body, first.body)
    })

    test('a schedule of one time can be used again, paused and resumed', async () => {
      const { call } = await server.tenant()
      await register(call, chain('visit', [noop()]))
      await call('POST', schedules, { id: 'once', delayMs: 1, workflowId: 'visit' })
      await ended(call, await onlyRun(call))
      await call('POST', schedules, { id: 'once', delayMs: 60_000, workflowId: 'visit' })
      assert.equal((await call('POST', `${schedules}/once:pause`)).body.status, 'paused')
      assert.equal((await call('POST', `${schedules}/once:resume`)).body.status, 'active')
    })

    test('a due time beyond the horizon, two kinds of due times and an unknown workflow are refused', async () => {
      const { call } = await server.tenant()
      await register(call, chain('visit', [noop()]))
      const far = new Date(Date.now() + 91 * dayMs).toISOString()
      const beyond = await call('POST', schedules, { id: 'far', at: far, workflowId: 'visit' })
      assertError(beyond, 422, 'schedule_horizon_exceeded')
      assert.equal(beyond.body.details.maxFutureHorizon, 'P90D')
      const endless = await call('POST', schedules, { id: 'far', delayMs: 9e15, workflowId: 'visit' })
      assertError(endless, 422, 'schedule_horizon_exceeded')
      for (const wrong of [
        { cron: '0 3 * * *', delayMs: 1, workflowId: 'visit' },
        { workflowId: 'visit' },
        { at: '2020-01-01T00:00:00Z', workflowId: 'visit' },
        { delayMs: 0, workflowId: 'visit' },
        { cron: '0 3 * * *', timezone: 'Mars/Phobos', workflowId: 'visit' },
        { cron: '0 3 * * *', workflowId: 'unknown' },
        { cron: '* * * * *', timezone: 'Europe/Berlin 0', workflowId: 'visit' },
        { cron: '@at 2027-01-01T00:00:00Z', workflowId: 'visit' },
        { cron: '0 3 * * *', workflowId: 'visit', kind: 'colophon.re-redact' },
        { cron: '0 3 * * *', kind: 'colophon.start-run', payload: { workflowId: 'visit' } },
        { cron: '0 3 * * *', workflowId: 'visit', missed: 'all' },
      ])
        assertError(await call('POST', schedules, { id: 'wrong', ...wrong }), 400, 'validation_error')
      assert.deepEqual(await listed(call), [])
    })
  })
}
