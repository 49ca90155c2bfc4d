import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { add } from '../../src/app/provenance/add.ts'
import { payloadRetentionJobKind, redactPayloads } from '../../src/app/provenance/payload-retention.ts'
import { createWriter } from '../../src/app/provenance/writers.ts'
import { writeSettings } from '../../src/app/redaction/rules.ts'
import { retryJob } from '../../src/core/jobs/job.ts'
import { builtInHandlers } from '../../src/jobs/built-in.ts'
import { Worker } from '../../src/jobs/worker.ts'
import { composeEngine } from '../../src/open.ts'
import type { Extractor } from '../../src/ports/extractor.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { addRequest, said } from '../support/add-request.ts'
import { eventually as eventuallyWithin } from '../support/child.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'

after(releaseServer)

const eventually = (what: string, isSo: () => Promise<boolean>) => eventuallyWithin(what, isSo, 15_000)
const dayMs = 24 * 60 * 60 * 1_000
const tenantId = 'acme'
const caller = { actor: 'test', keyId: 'key_test', requestId: 'req_test' }

const never = new AbortController().signal

type Clock = { now: number }

/** Processes start and stop on one store and one clock that only the test moves. */
const started = new Set<Worker>()

function openWorld(storage: Storage, clock: Clock, extractor?: Extractor) {
  const system = nodeSystem(() => clock.now)
  const { engine, workers } = composeEngine(storage, system, 'test', null, extractor ? { extractor } : {})
  const start = () => {
    const options = { handlers: builtInHandlers(engine), concurrency: 4, pollMs: 10 }
    const worker = new Worker(engine, options, () => workers.delete(worker)).start()
    workers.add(worker)
    started.add(worker)
    return worker
  }
  return { engine, start }
}

const stores: Record<string, (now: () => number) => Promise<{ storage: Storage; drop: () => Promise<void> }>> = {
  model: async (now) => ({ storage: openInMemoryStore({ now }), drop: async () => {} }),
  async sqlite(now) {
    const folder = createFolder()
    return { storage: openSqlite({ path: folder.file('x.db'), now }), drop: async () => folder.remove() }
  },
  async postgres(now) {
    const database = await createDatabase()
    return { storage: await openPostgres({ url: database.url, now }), drop: database.drop }
  },
}

for (const [name, open] of Object.entries(stores)) {
  describe(`retention of messages on ${name}`, () => {
    async function withStore(body: (storage: Storage, clock: Clock) => Promise<void>): Promise<void> {
      const clock = { now: Date.parse('2026-03-01T12:00:00Z') }
      const { storage, drop } = await open(() => clock.now)
      try {
        await storage.ensureTenant(tenantId, { macKey: new Uint8Array(32) }, clock.now)
        await body(storage, clock)
      } finally {
        // Also after a test that failed half-way: a worker without a store would never end.
        for (const worker of started) await worker.stop()
        started.clear()
        await storage.close()
        await drop()
      }
    }

    type World = ReturnType<typeof openWorld>
    const ingest = async ({ engine }: World, eventId: string, infer = false) => {
      const request = addRequest(said(`said in ${eventId}`), { infer, source: { service: 'chat', eventId } })
      return (await add(engine.tenant(tenantId), request, caller)).event
    }
    const keepFor = ({ engine }: World, days: number) =>
      writeSettings(engine.tenant(tenantId), { extractionPayloadRetentionDays: days })
    const jobOf = async ({ engine }: World, jobId: string) => engine.storage.jobs.get(tenantId, jobId)
    const until = (world: World, jobId: string, status: string) =>
      eventually(`the job is ${status}`, async () => (await jobOf(world, jobId))?.status === status)
    /** Lets time pass whenever the job waits for its next attempt. */
    const untilGivenUp = (world: World, worker: Worker, jobId: string, clock: Clock) =>
      eventually('the job is given up', async () => {
        const job = await jobOf(world, jobId)
        if (job?.status === 'queued') clock.now += 60 * 60_000
        worker.wake()
        return job?.status === 'dead'
      })
    const passes = async ({ engine }: World) =>
      (await engine.storage.jobs.list({ tenantId, status: null, after: null, limit: 100 })).filter(
        ({ kind, status }) => kind === payloadRetentionJobKind && status === 'completed',
      )
    const keptNames = async ({ engine }: World) => {
      const query = { tenantId, receivedBefore: Number.MAX_SAFE_INTEGER, after: null, limit: 100 }
      return (await engine.storage.provenance.keptPayloads(query)).map(({ eventId }) => eventId)
    }

    test('a pass deletes old messages once a day at 03:20 UTC, catches up after a missed day, and is recorded in the audit', () =>
      withStore(async (storage, clock) => {
        const world = openWorld(storage, clock)
        await createWriter(world.engine.tenant(tenantId), { serviceKey: 'chat' })
        const first = world.start()
        const old = await ingest(world, 'old')
        await until(world, old.jobId, 'completed')
        const [schedule] = await storage.jobs.schedules(tenantId)
        assert.equal(new Date(schedule?.nextDueAt ?? 0).toISOString(), '2026-03-02T03:20:00.000Z')
        clock.now = Date.parse('2026-03-02T03:19:59.999Z')
        const young = await ingest(world, 'young')
        await until(world, young.jobId, 'completed')
        assert.deepEqual(await passes(world), [], 'not before its time')
        clock.now += 1
        first.wake()
        await eventually('the first pass', async () => (await passes(world)).length === 1)
        assert.deepEqual(await keptNames(world), ['old', 'young'], 'nothing is old enough')

        // No process runs for a month; the next one makes up for it, once.
        await first.stop()
        clock.now = Date.parse('2026-03-31T12:00:01Z')
        const second = world.start()
        await eventually('the missed pass', async () => (await passes(world)).length === 2)
        assert.deepEqual(await keptNames(world), ['young'])
        const stored = await storage.provenance.sourceEvent(tenantId, old.sourceEventId)
        assert.deepEqual(stored, { ...old, messages: null, recordedPosition: stored?.recordedPosition })
        const { position = 0 } = (await storage.clock(tenantId)) ?? {}
        const [row] = await storage.audit({ tenantId, from: position, to: position, limit: 1 })
        const record = JSON.parse(row?.body ?? '{}')
        assert.deepEqual([record.kind, record.counts], ['source.payloads_redacted', { redacted: 1, waiting: 0 }])
        const rows = await storage.audit({ tenantId, from: 1, to: position, limit: 100 })
        const records = rows.map(({ body }) => JSON.parse(body)).filter(({ kind }) => kind === record.kind)
        assert.deepEqual(
          records.map(({ payloadsRedacted, counts }) => payloadsRedacted ?? counts),
          [{ redacted: 0, waiting: 0 }, 1, { redacted: 1, waiting: 0 }],
          'each pass is recorded with counts, the one that found nothing too',
        )
        const result = (await passes(world)).map((job) => job.result)
        assert.deepEqual(new Set(result.map((one) => JSON.stringify(one))).size, 2)
        assert.ok(result.some((one) => (one as { redacted: number }).redacted === 1))
        const [next] = await storage.jobs.schedules(tenantId)
        assert.equal(new Date(next?.nextDueAt ?? 0).toISOString(), '2026-04-01T03:20:00.000Z')

        // Exactly as old as the tenant keeps them is not older; a moment later is.
        clock.now = young.receivedAt + 30 * dayMs
        assert.deepEqual(await redactPayloads(world.engine.tenant(tenantId), never), { redacted: 0, waiting: 0 })
        clock.now += 1
        second.wake()
        await eventually('the last pass', async () => (await passes(world)).length === 3)
        assert.deepEqual(await keptNames(world), [])
        await second.stop()
      }))

    test('an add in a new process does not delay a missed pass', () =>
      withStore(async (storage, clock) => {
        const before = openWorld(storage, clock)
        await createWriter(before.engine.tenant(tenantId), { serviceKey: 'chat' })
        await ingest(before, 'old')
        clock.now += 40 * dayMs
        const due = (await storage.jobs.schedules(tenantId))[0]?.nextDueAt ?? 0
        const next = openWorld({ ...storage }, clock)
        await ingest(next, 'young')
        assert.equal((await storage.jobs.schedules(tenantId))[0]?.nextDueAt, due)
      }))

    test('with 0 days the messages are deleted when their job ends', () =>
      withStore(async (storage, clock) => {
        const world = openWorld(storage, clock)
        await createWriter(world.engine.tenant(tenantId), { serviceKey: 'chat' })
        await keepFor(world, 0)
        const event = await ingest(world, 'short')
        assert.deepEqual(await keptNames(world), ['short'], 'the job still needs them')
        const worker = world.start()
        await until(world, event.jobId, 'completed')
        assert.deepEqual(await keptNames(world), [])
        await worker.stop()
      }))

    test('messages that a job still needs are kept, however old they are', () =>
      withStore(async (storage, clock) => {
        let isBroken = true
        const extractor: Extractor = {
          name: 'fails first',
          async extract() {
            if (isBroken) throw new Error('not now')
            return { candidates: [], extractor: 'fails first' }
          },
        }
        const world = openWorld(storage, clock, extractor)
        await createWriter(world.engine.tenant(tenantId), { serviceKey: 'chat' })
        const event = await ingest(world, 'stuck', true)
        const worker = world.start()
        await eventually(
          'the first attempt has failed',
          async () =>
            (await jobOf(world, event.jobId))?.attempts === 1 && (await jobOf(world, event.jobId))?.status === 'queued',
        )
        await keepFor(world, 0)
        clock.now += 1
        assert.deepEqual(await redactPayloads(world.engine.tenant(tenantId), never), {
          redacted: 0,
          waiting: 1,
        })
        assert.deepEqual(await keptNames(world), ['stuck'])
        await untilGivenUp(world, worker, event.jobId, clock)
        isBroken = false
        await storage.jobs.update(tenantId, event.jobId, (job) => retryJob(job, clock.now))
        worker.wake()
        await until(world, event.jobId, 'completed')
        assert.deepEqual(await keptNames(world), [], 'and with its end they go')
        await worker.stop()
      }))

    test('retrying a dead-letter job whose messages were deleted fails with that reason', () =>
      withStore(async (storage, clock) => {
        const extractor: Extractor = {
          name: 'fails',
          async extract() {
            throw new Error('never')
          },
        }
        const world = openWorld(storage, clock, extractor)
        await createWriter(world.engine.tenant(tenantId), { serviceKey: 'chat' })
        const event = await ingest(world, 'dead', true)
        const worker = world.start()
        await untilGivenUp(world, worker, event.jobId, clock)
        clock.now += 40 * dayMs
        worker.wake()
        await eventually('the messages are gone', async () => (await keptNames(world)).length === 0)
        await storage.jobs.update(tenantId, event.jobId, (job) => retryJob(job, clock.now))
        worker.wake()
        const why = async () => (await jobOf(world, event.jobId))?.error?.code
        await eventually(
          'it was tried, and says why nothing came of it',
          async () => (await why()) === 'content_erased',
        )
        assert.notEqual((await jobOf(world, event.jobId))?.status, 'completed')
        await worker.stop()
      }))
  })
}
