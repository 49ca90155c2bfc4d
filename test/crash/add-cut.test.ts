import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import type { Engine } from '../../src/app/engine.ts'
import { ColophonError, isColophonError } from '../../src/core/errors.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { expectedOf, type SentEvent } from '../property/claims-reference.ts'
import { ingest, openWorld, prepareTenant, readAll } from '../property/claims-world.ts'
import { eventually } from '../support/child.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'

after(releaseServer)

const tenantId = 'acme'
const priorities = { 'a-service': 50 }
const event: SentEvent = {
  service: 'a-service',
  eventId: 'evt',
  observedAt: '2026-01-01T00:00:00Z',
  user: 'ada',
  said: [
    { content: 'Dark mode it is', claim: 'ui.theme', confidence: 0.7 },
    { content: 'Compact it is', claim: 'ui.layout', confidence: 0.7 },
  ],
}

/** Fails the call just before or just after a commit of the given kind: killing at random seldom hits that moment. */
function cutting(storage: Storage, kind: string, moment: 'before' | 'after', times: number): Storage {
  let left = times
  return {
    ...storage,
    async commit(batch) {
      const isCut = batch.kind === kind && left-- > 0
      if (isCut && moment === 'before') throw lost()
      const committed = await storage.commit(batch)
      if (isCut) throw lost()
      return committed
    },
  }
}

const lost = () => new ColophonError('storage_unavailable', 'The line was cut.')

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

/** Retries until there is a response, as clients do. */
async function addUntilAnswered(engine: Engine): Promise<string> {
  for (;;) {
    try {
      return await ingest(engine.tenant(tenantId), event)
    } catch (error) {
      if (!isColophonError(error, 'storage_unavailable')) throw error
    }
  }
}

for (const [name, open] of Object.entries(stores)) {
  describe(`an interrupted add on ${name}`, () => {
    for (const [what, kind] of [
      ['while it is taken', 'source.received'],
      ['while memories are made of it', 'memory.written'],
    ] as const) {
      for (const moment of ['before', 'after'] as const) {
        test(`${what}, just ${moment} the commit, takes effect once`, async () => {
          const clock = { now: Date.parse('2026-03-01T12:00:00Z') }
          const { storage, drop } = await open(() => clock.now)
          const world = openWorld(cutting(storage, kind, moment, 2), () => clock.now)
          try {
            await prepareTenant(world.engine.tenant(tenantId), priorities)
            const jobId = await addUntilAnswered(world.engine)
            // As often as a response is lost, and not for every check: a worker that is only slow would lose lease after lease.
            let forgottenLeases = kind === 'source.received' ? 2 : 0
            await eventually('the job has ended', async () => {
              const job = await storage.jobs.get(tenantId, jobId)
              assert.notEqual(job?.status, 'dead')
              // Time passes while the job waits: for its next attempt, or for the lease of a worker that never got the response.
              const isForgotten = job?.status === 'leased' && forgottenLeases-- > 0
              if (job?.status === 'queued' || isForgotten) clock.now += 60_000
              world.engine.workers.wake()
              return job?.status === 'completed'
            })
            assert.deepEqual(await readAll(world.engine.tenant(tenantId), ['ada']), expectedOf([event], priorities))
            const query = { tenantId, subject: null, service: null, after: null, limit: 10 }
            const [taken, ...others] = await storage.provenance.sourceEvents(query)
            assert.deepEqual([taken?.jobId, others], [jobId, []])
            const stated = await storage.provenance.assertionsOfEvent(tenantId, taken?.sourceEventId ?? '')
            assert.deepEqual(
              stated.map(({ candidate }) => candidate),
              [0, 1],
              'each is stated once',
            )
            const jobs = await storage.jobs.list({ tenantId, status: null, after: null, limit: 10 })
            assert.equal(jobs.filter((job) => job.kind === 'colophon.ingest').length, 1)
          } finally {
            await world.close()
            await drop()
          }
        })
      }
    }
  })
}
