import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Colophon, openColophon } from '../../src/open.ts'
import { type CommitCutter, startCommitCutter } from '../support/commit-cutter.ts'
import { createDatabase, releaseServer, type TestDatabase } from '../support/databases.ts'

let database: TestDatabase
let cutter: CommitCutter
let colophon: Colophon
before(async () => {
  database = await createDatabase()
  cutter = await startCommitCutter(database.url)
  colophon = await openColophon({ databaseUrl: cutter.url })
})
after(async () => {
  await colophon.close()
  await cutter.close()
  await database.drop()
  await releaseServer()
})

// Jobs are changed outside of the memory's commits, with a transaction of their own: the same unknown outcome, the same error.
test('a change of a job whose response is lost fails as unavailable', async () => {
  const jobs = colophon.jobs('acme')
  const jobId = await jobs.enqueue({ kind: 'note' })
  cutter.cutNext('after commit')
  await assert.rejects(jobs.cancel(jobId), { name: 'ColophonError', code: 'storage_unavailable', retryable: true })
  assert.equal(cutter.cuts, 1)
  assert.equal((await jobs.get(jobId))?.status, 'cancelled')
})

test('a schedule whose response is lost fails as unavailable', async () => {
  const jobs = colophon.jobs('acme')
  await jobs.schedules()
  cutter.cutNext('after commit')
  await assert.rejects(jobs.schedule({ scheduleId: 'daily', cron: '0 3 * * *', kind: 'note' }), {
    name: 'ColophonError',
    code: 'storage_unavailable',
  })
  assert.deepEqual(
    (await jobs.schedules()).map(({ scheduleId }) => scheduleId),
    ['daily'],
  )
})
