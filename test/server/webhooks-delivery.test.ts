import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { createHome, startServer, storagesOfBehaviour, type Tenant, type TestServer } from '../support/server.ts'
import {
  chain,
  ended,
  eventsOf,
  gate,
  host,
  noop,
  put,
  register,
  startRun,
  startWaiting,
  typesOf,
} from './runs-calls.ts'
import { allDelivered, type Delivery, type Receiver, startReceiver, webhookJobs } from './webhooks-receiver.ts'

after(releaseServer)

const env = { COLOPHON_WEBHOOK_ALLOW_PRIVATE: '1' }
const bySequence = (deliveries: readonly Delivery[]) =>
  deliveries.map(({ body }) => body.event).sort((a, b) => a.sequence - b.sequence)
const runsOf = (deliveries: readonly Delivery[]) => [...new Set(deliveries.map(({ body }) => body.runId as string))]
const hasEvent = (type: string, runId: string) => (deliveries: readonly Delivery[]) =>
  deliveries.some(({ body }) => body.type === type && body.runId === runId)

for (const storage of storagesOfBehaviour) {
  describe(`webhook deliveries on ${storage}`, { concurrency: true }, () => {
    let server: TestServer
    let receiver: Receiver
    before(async () => {
      receiver = await startReceiver()
      server = await startServer({ storage, env })
    })
    after(async () => {
      await server[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    })

    const prepare = async (): Promise<Tenant> => {
      const tenant = await server.tenant()
      await register(tenant.call, chain('quick', [noop()]))
      await register(tenant.call, chain('remembers', [put('keep', '{{inputs.note}}'), gate()]))
      return tenant
    }
    /** Each webhook has a path of its own at the receiver. */
    const hook = async ({ call }: Tenant, draft: object = {}, path = `/${randomBytes(6).toString('hex')}`) => {
      const made = await call('POST', '/v1/webhooks', { url: `${receiver.url}${path}`, events: ['*'], ...draft })
      assert.equal(made.status, 201, made.text)
      return { path, ...(made.body as { webhookId: string; secret: string }) }
    }

    test('a webhook with the format cloudevents receives the same events as CloudEvents, signed', async () => {
      const tenant = await prepare()
      const { call } = tenant
      const [plain, cloud] = [await hook(tenant), await hook(tenant, { format: 'cloudevents' })]
      const shown = (await call('GET', '/v1/webhooks')).body.webhooks.map((one: { format?: string }) => one.format)
      assert.deepEqual(shown.sort(), ['cloudevents', undefined])
      const refused = await call('POST', '/v1/webhooks', { url: receiver.url, events: ['*'], format: 'xml' })
      assert.equal(refused.status, 400, refused.text)
      await ended(call, await startRun(call, 'quick'))
      await allDelivered(call)
      const [events, sent] = [receiver.at(plain.path), receiver.at(cloud.path)]
      const inOrder = (deliveries: readonly Delivery[]) => deliveries.map(({ body }) => JSON.stringify(body)).sort()
      assert.ok(events.length > 0)
      assert.deepEqual(sent.map(({ body }) => JSON.stringify(body.data)).sort(), inOrder(events))
      for (const { headers, raw, body } of sent) {
        assert.equal(headers['content-type'], 'application/cloudevents+json')
        assert.deepEqual(
          [body.specversion, body.source, body.type, body.id],
          ['1.0', `urn:colophon:tenant:${tenant.id}`, `openwop.${body.data.type}`, body.data.event.eventId],
        )
        const mac = createHmac('sha256', cloud.secret).update(`${headers['openwop-timestamp']}.${raw}`).digest('hex')
        assert.equal(headers['openwop-signature'], `sha256=${mac}`)
      }
      for (const { headers } of events) assert.equal(headers['content-type'], 'application/json')
    })

    test('a webhook receives every event once, signed, without inputs, contents, answers, tokens or keys', async () => {
      const tenant = await prepare()
      const { call } = tenant
      const secret = 'a secret that the client has chosen'
      const mine = await hook(tenant, { secret, tenantId: tenant.id })
      const note = `canary${randomBytes(8).toString('hex')}`
      const runId = await startWaiting(call, 'remembers', { inputs: { note, unused: note }, metadata: { note } })
      const token = (await call('GET', `/v1/runs/${runId}`)).body.interrupt.interruptToken
      await call('POST', `/v1/runs/${runId}/interrupts/gate`, { resumeValue: { action: 'accept', note } })
      await ended(call, runId)
      const log = await eventsOf(call, runId)
      const received = await receiver.until(mine.path, 'everything', (deliveries) => deliveries.length >= log.length)
      await allDelivered(call)
      assert.deepEqual(bySequence(receiver.at(mine.path)), log)
      for (const { raw, body, headers } of received) {
        assert.deepEqual(Object.keys(body).sort(), ['event', 'runId', 'type', 'workspaceId'])
        assert.deepEqual([body.runId, body.workspaceId, body.type], [runId, tenant.id, body.event.type])
        for (const prefix of ['x-openwop', 'openwop']) {
          const header = (name: string) => String(headers[`${prefix}-${name}`])
          const hmac = createHmac('sha256', secret)
            .update(`${header('timestamp')}.${raw}`)
            .digest('hex')
          assert.equal(header('signature'), `sha256=${hmac}`)
          assert.deepEqual(
            [header('webhook-id'), header('event-type'), header('signature-algorithm')],
            [mine.webhookId, body.type, 'v1'],
          )
          assert.ok(Math.abs(Number(header('timestamp')) - Date.now() / 1_000) < 300)
        }
        const all = raw + JSON.stringify(headers)
        for (const hidden of [note, token, secret, tenant.key]) assert.ok(!all.includes(hidden), all)
      }
    })

    test('a webhook receives only the types and tags it subscribed to, and never events of another tenant', async () => {
      const [one, two] = [await prepare(), await prepare()]
      const [ends, tagged, foreign] = [
        await hook(one, { events: ['run.completed', 'run.failed', 'no.such.event'] }),
        await hook(one, { events: ['run.started'], tags: ['blue', 'red'] }),
        await hook(two),
      ]
      const plain = await startRun(one.call, 'quick')
      const blue = await startRun(one.call, 'quick', { tags: ['green', 'blue'] })
      const other = await startRun(one.call, 'quick', { tags: ['BLUE', 'blue '] })
      for (const runId of [plain, blue, other]) {
        await ended(one.call, runId)
        await receiver.until(ends.path, 'the end', hasEvent('run.completed', runId))
      }
      await allDelivered(one.call)
      assert.deepEqual([...new Set(receiver.at(ends.path).map(({ body }) => body.type))], ['run.completed'])
      assert.deepEqual(runsOf(receiver.at(tagged.path)), [blue])
      assert.deepEqual(receiver.at(foreign.path), [])
    })

    test('a webhook receives no events that a replay repeats, but those of a branch', async () => {
      const tenant = await prepare()
      const { call } = tenant
      const runId = await startRun(call, 'quick')
      await ended(call, runId)
      const mine = await hook(tenant)
      const replay = (await call('POST', `/v1/runs/${runId}:fork`, { mode: 'replay' })).body.runId
      await ended(call, replay)
      const branch = (await call('POST', `/v1/runs/${runId}:fork`, { mode: 'branch', fromSeq: 0 })).body.runId
      await receiver.until(mine.path, 'of the branch', hasEvent('run.completed', branch))
      await allDelivered(call)
      assert.deepEqual(runsOf(receiver.at(mine.path)), [branch])
    })

    test('a removed webhook receives nothing more', async () => {
      const tenant = await prepare()
      const { call } = tenant
      const [removed, stays] = [await hook(tenant), await hook(tenant)]
      const runId = await startWaiting(call, 'remembers', { inputs: { note: 'x' } })
      for (const { path } of [removed, stays])
        await receiver.until(path, 'of the question', hasEvent('interrupt.requested', runId))
      await allDelivered(call)
      const before = receiver.at(removed.path).length
      assert.equal((await call('DELETE', `/v1/webhooks/${removed.webhookId}`)).status, 204)
      await call('POST', `/v1/runs/${runId}/interrupts/gate`, { resumeValue: { action: 'accept' } })
      await receiver.until(stays.path, 'of the end', hasEvent('run.completed', runId))
      await allDelivered(call)
      assert.equal(receiver.at(removed.path).length, before)
    })

    test('a delivery that fails is retried later, and its stored error contains nothing of the event', async () => {
      const tenant = await prepare()
      const { call } = tenant
      for (const path of ['/500', '/404', '/429', '/302', '/301'])
        await hook(tenant, { events: ['run.completed'] }, path)
      const silent = { url: 'http://127.0.0.1:9/', events: ['run.completed'] }
      await call('POST', '/v1/webhooks', silent)
      const asked = Date.now()
      const runId = await startRun(call, 'quick')
      await ended(call, runId)
      let jobs: Awaited<ReturnType<typeof webhookJobs>> = []
      await eventually('every first attempt was made', async () => {
        jobs = await webhookJobs(call, 'queued')
        return jobs.length === 6 && jobs.every(({ attempts, error }) => attempts >= 1 && error !== null)
      })
      for (const { attempts, attemptsMax, dueAt, error } of jobs) {
        assert.ok(attempts >= 1 && attempts < attemptsMax && attemptsMax === 8, `${attempts} of ${attemptsMax}`)
        assert.ok(Date.parse(dueAt) > asked, dueAt)
        assert.equal(error.code, 'delivery_failed')
        assert.match(error.message, /^The delivery to the webhook failed: [a-z_]+\.$/)
      }
      const reasons = jobs.map(({ error }) => /: ([a-z_]+)\.$/.exec(error.message)?.[1])
      assert.deepEqual(reasons.sort(), ['connection', 'redirect', 'redirect', 'status', 'status', 'status'])
      assert.deepEqual(await webhookJobs(call, 'dead'), [])
      assert.deepEqual(receiver.at('/redirected'), [], 'a redirect was followed')
      assert.ok(!JSON.stringify(jobs).includes('the answer of the receiver'))
    })

    test('a receiver that never answers delays no other delivery', async () => {
      const tenant = await prepare()
      const { call } = tenant
      await hook(tenant, {}, '/never')
      const mine = await hook(tenant)
      for (const _round of [1, 2, 3]) {
        const runId = await startRun(call, 'quick')
        await ended(call, runId)
        await receiver.until(mine.path, 'of the end', hasEvent('run.completed', runId))
      }
    })
  })
}

test('an address that is no longer allowed is not called, although it was registered', async () => {
  await using receiver = await startReceiver()
  await using home = await createHome('sqlite')
  const document = chain('quick', [noop()])
  let key = ''
  {
    await using lenient = await startServer({ home, env })
    const draft = { url: `${receiver.url}/hook`, events: ['run.completed'] }
    assert.equal((await lenient.call('POST', '/v1/webhooks', draft)).status, 201)
    await register(lenient.call, document)
    const runId = await startRun(lenient.call, 'quick')
    await receiver.until('/hook', 'of the end', hasEvent('run.completed', runId))
    key = lenient.key
    await lenient.stop()
  }
  await using strict = await startServer({ home, env: { COLOPHON_BOOTSTRAP_KEY: key } })
  const runId = await startRun(strict.call, 'quick')
  assert.equal((await ended(strict.call, runId)).status, 'completed')
  const refused = async () => (await webhookJobs(strict.call, 'queued')).filter(({ error }) => error !== null)
  await eventually('the delivery was refused', async () => (await refused()).length === 1)
  assert.equal((await refused())[0]?.error.message, 'The delivery to the webhook failed: rejected_address.')
  assert.equal(receiver.at('/hook').length, 1)
  assert.deepEqual(typesOf(await eventsOf(strict.call, runId)).at(-1), 'run.completed')
  assert.equal((await strict.call('GET', `${host}/jobs?status=dead`)).body.jobs.length, 0)
})
