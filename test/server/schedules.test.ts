import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { Tenant } from '../../src/app/tenant.ts'
import { pauseSchedule, resumeSchedule, saveSchedule } from '../../src/jobs/manage-schedules.ts'
import { Worker } from '../../src/jobs/worker.ts'
import { composeEngine } from '../../src/open.ts'
import { releaseServer } from '../support/databases.ts'
import { startServer, storagesOfBehaviour } from '../support/server.ts'

after(releaseServer)

const schedules = '/v1/host/colophon/schedules'
const draft = { id: 'redact-weekly', cron: '0 4 * * 1', kind: 'colophon.re-redact', payload: { dryRun: true } }

for (const storage of storagesOfBehaviour) {
  describe(`schedules over HTTP on ${storage}`, () => {
    test('schedules are made, listed, paused, resumed, run and removed, each with its audit record', async () => {
      await using server = await startServer({ storage })
      const { call } = await server.tenant()
      const made = await call('POST', schedules, draft)
      assert.equal(made.status, 201, made.text)
      const { nextDueAt, ...shown } = made.body
      assert.deepEqual(shown, { ...draft, status: 'active', isHosts: false, hasDryRun: true })
      assert.match(nextDueAt, /T04:00:00\.000Z$/)
      assert.equal(new Date(nextDueAt).getUTCDay(), 1)

      const paused = await call('POST', `${schedules}/${draft.id}:pause`)
      assert.deepEqual([paused.status, paused.body.status, paused.body.nextDueAt], [200, 'paused', undefined])
      assert.equal((await call('POST', `${schedules}/${draft.id}:pause`)).body.status, 'paused')
      const resumed = await call('POST', `${schedules}/${draft.id}:resume`)
      assert.deepEqual([resumed.body.status, resumed.body.nextDueAt], ['active', nextDueAt])

      const key = { 'idempotency-key': 'once' }
      const run = await call('POST', `${schedules}/${draft.id}:run`, undefined, key)
      assert.equal(run.status, 202, run.text)
      const again = await call('POST', `${schedules}/${draft.id}:run`, undefined, key)
      assert.deepEqual(again.body, run.body)
      assert.equal(again.headers.get('idempotent-replay'), 'true')

      const listed = (await call('GET', schedules)).body.schedules as { id: string }[]
      assert.ok(listed.some(({ id }) => id === draft.id))
      assert.deepEqual((await call('DELETE', `${schedules}/${draft.id}`)).body, { deleted: true })
      assert.deepEqual((await call('DELETE', `${schedules}/${draft.id}`)).body, { deleted: false })
      const { body } = await call('GET', '/v1/host/colophon/audit?limit=500')
      const kinds = (body.records as { kind: string }[]).map(({ kind }) => kind)
      for (const verb of ['put', 'paused', 'resumed', 'removed']) {
        assert.ok(kinds.includes(`admin.schedule.${verb}`), `${verb} is in the audit`)
      }
    })

    test('an invalid schedule is refused, and no caller sees those of another tenant', async () => {
      await using server = await startServer({ storage })
      const [mine, other] = [await server.tenant(), await server.tenant()]
      for (const wrong of [
        { ...draft, cron: 'soon' },
        { ...draft, kind: 'colophon.run' },
        { ...draft, id: 'a b' },
        { ...draft, more: 1 },
      ]) {
        assert.equal((await mine.call('POST', schedules, wrong)).status, 400, JSON.stringify(wrong))
      }
      assert.equal((await mine.call('POST', schedules, { ...draft, id: 'payload-retention' })).status, 409)
      assert.equal((await mine.call('DELETE', `${schedules}/payload-retention`)).status, 409)
      assert.equal((await mine.call('POST', `${schedules}/unknown:pause`)).status, 404)
      assert.equal((await mine.call('POST', schedules, draft)).status, 201)
      assert.ok(!(await other.call('GET', schedules)).text.includes(draft.id))
      assert.equal((await other.call('POST', `${schedules}/${draft.id}:run`)).status, 404)
      const reader = await mine.call('POST', '/v1/host/colophon/keys', { name: 'r', scopes: ['memory:read'] })
      assert.equal((await server.as(reader.body.key)('GET', schedules)).status, 403)
    })
  })
}

test('a pause that was interrupted after its audit record takes effect when the schedule is due', async () => {
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') }
  const storage = openInMemoryStore({ now: () => clock.now })
  const { engine, close } = composeEngine(
    storage,
    nodeSystem(() => clock.now),
    'test',
    null,
  )
  await engine.contextOf('acme')
  const { view } = await saveSchedule(engine.tenant('acme'), { ...draft, cron: '0 * * * *' }, {})
  const jobs = { ...storage.jobs, moveSchedule: async () => Promise.reject(new Error('killed')) }
  await assert.rejects(
    pauseSchedule(new Tenant({ ...engine, storage: { ...storage, jobs } }, 'acme'), draft.id, {}),
    /killed/,
  )
  clock.now = Date.parse(view.nextDueAt ?? '') + 1
  let ran = 0
  const handlers = {
    async 'colophon.re-redact'() {
      ran += 1
    },
  }
  const worker = new Worker(engine, { handlers, pollMs: 5 }, () => {}).start()
  const status = async () => (await storage.jobs.schedules('acme'))[0]?.nextDueAt
  while ((await status()) !== Number.MAX_SAFE_INTEGER) await new Promise((resolve) => setTimeout(resolve, 2))
  assert.deepEqual(
    [ran, (await storage.jobs.list({ tenantId: 'acme', status: null, after: null, limit: 9 })).length],
    [0, 0],
  )
  const resumed = await resumeSchedule(engine.tenant('acme'), draft.id, {})
  assert.equal(resumed.view.nextDueAt, '2026-01-01T02:00:00.000Z', 'what was missed in the pause is not caught up with')
  await worker.stop()
  await close()
})
