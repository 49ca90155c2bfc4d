import assert from 'node:assert/strict'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { acquireLease, enqueueJob, type Job } from '../../core/jobs/job.ts'
import { createJobStore, createJobTable } from './jobs.ts'
import { migrateSqlite } from './migrate.ts'

const [unflushed, flushed] = [1, 2]

test('a claim is not flushed to disk, and every later transaction is, also after a claim that failed', async () => {
  const db = new Database(':memory:')
  db.pragma('synchronous = full')
  migrateSqlite(db, 0)
  const table = createJobTable(db)
  const store = createJobStore(db, table, () => {})
  const level = () => db.pragma('synchronous', { simple: true })
  const parts = { payload: null, priority: 0, dueAt: null, attemptsMax: 1 }
  const levels: unknown[] = []
  const claim = (change: (job: Job) => Job) => store.claim({ now: 1, kinds: ['mail'], limit: 1, change })
  const lease = { leaseToken: 'l', worker: 'w', leaseUntil: 10 }

  table.save('acme', enqueueJob({ ...parts, jobId: 'job_1', kind: 'mail' }, 0))
  const failed = claim(() => {
    levels.push(level())
    throw new Error('The change failed.')
  })
  await assert.rejects(failed)
  levels.push(level())
  const claimed = await claim((job) => {
    levels.push(level())
    return acquireLease(job, lease, 1)
  })
  levels.push(level())
  assert.equal(claimed?.jobs[0]?.status, 'leased')
  assert.deepEqual(levels, [unflushed, flushed, unflushed, flushed])
  db.close()
})

test('a claim reads due jobs in the order of an index: a backlog is not sorted', () => {
  const db = new Database(':memory:')
  migrateSqlite(db, 0)
  const sources: string[] = []
  const prepare = db.prepare.bind(db)
  Object.assign(db, {
    prepare(source: string) {
      sources.push(source)
      return prepare(source)
    },
  })
  createJobStore(db, createJobTable(db), () => {})
  const [dueJobs = '', ...others] = sources.filter((source) => /from job\s[^;]*due_at <= \?/.test(source))
  assert.deepEqual(others, [])
  const values = { tenantId: 'acme', priority: 0, now: 1, kinds: '[]', limit: 1 }
  const steps = prepare(`explain query plan ${dueJobs}`).all(...Object.values(values)) as { detail: string }[]
  const plan = steps.map(({ detail }) => detail).join('; ')
  assert.match(plan, /job_by_urgency \(tenant_id=\? AND priority=\? AND due_at<\?\)/)
  assert.doesNotMatch(plan, /TEMP B-TREE/)
  db.close()
})
