import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isColophonError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Redacted } from '../redaction/redaction.ts'
import {
  acquireLease,
  completeJob,
  enqueueJob,
  failJob,
  isUnfinished,
  type Job,
  type JobFailure,
  retryDelayMs,
} from './job.ts'

test('retry delays grow up to jobRetryDelayMsMax', () => {
  const delays = Array.from({ length: 20 }, (_, i) => retryDelayMs(i + 1))
  assert.deepEqual(delays.slice(0, 3), [1_000, 4_000, 16_000])
  assert.deepEqual(
    delays,
    delays.toSorted((a, b) => a - b),
  )
  assert.equal(delays.at(-1), limits.jobRetryDelayMsMax)
})

const leaseMs = 1_000
const failure = { code: 'failed', message: 'It failed.' } as Redacted<JobFailure>

type Act = { readonly what: 'claim' | 'crash' | 'fail' | 'complete' | 'wait'; readonly worker: number }

const script = (...kinds: Act['what'][]): fc.Arbitrary<Act[]> =>
  fc.array(fc.record({ what: fc.constantFrom(...kinds), worker: fc.nat(1) }), { maxLength: 80, size: 'max' })

/** Most scripts with a completion end early, so some have none. */
const acts = fc.oneof(
  script('claim', 'wait', 'claim', 'wait', 'crash', 'fail', 'complete'),
  script('claim', 'wait', 'fail'),
  script('claim', 'wait', 'crash'),
)

/** Applies a change of a worker; a worker that lost its lease is refused. */
function tried(job: Job, change: () => Job): Job {
  try {
    return change()
  } catch (error) {
    assert.ok(isColophonError(error, 'job_lease_lost'), String(error))
    return job
  }
}

// Model rule: lease.one-effect
// Model rule: lease.one-holder
// Model rule: lease.dead-letter
// Model rule: lease.poison-pill
// Model rule: lease.ended-stays
test('whatever workers do, a job has one effect, one holder, few attempts, and stays ended', () => {
  const attemptsMax = 3
  const start = { jobId: 'job_1', kind: 'any', payload: null, priority: 5, dueAt: null, attemptsMax }
  const property = fc.property(acts, (played) => {
    let [job, now] = [enqueueJob(start, 0), 0]
    let [effects, failures, claims] = [0, 0, 0]
    const tokens = new Map<number, string>()
    for (const { what, worker } of played) {
      const token = tokens.get(worker)
      const before = job
      // Until the lease has expired, or the next attempt is due.
      if (what === 'wait') now = Math.max(now, job.dueAt)
      if (what === 'crash') tokens.delete(worker)
      if (what === 'claim' && isUnfinished(job) && job.dueAt <= now) {
        const lease = { leaseToken: `token ${++claims}`, worker: `worker ${worker}`, leaseUntil: now + leaseMs }
        assert.ok(job.status !== 'leased' || job.dueAt <= now, 'the lease before has expired')
        job = acquireLease(job, lease, now)
        if (job.status === 'leased') tokens.set(worker, lease.leaseToken)
      } else if (what === 'claim' && isUnfinished(job) && job.status === 'leased') {
        const lease = { leaseToken: 'stolen', worker: 'thief', leaseUntil: now + leaseMs }
        assert.throws(() => acquireLease(job, lease, now), { name: 'InvariantBroken' })
      } else if (what === 'claim' && !isUnfinished(job)) {
        const lease = { leaseToken: 'late', worker: 'late', leaseUntil: now + leaseMs }
        assert.throws(() => acquireLease(job, lease, now), { name: 'InvariantBroken' })
      }
      if (what === 'fail' && token !== undefined) {
        job = tried(job, () => failJob(job, token, failure, now))
        if (job !== before) failures += 1
      }
      if (what === 'complete' && token !== undefined) {
        job = tried(job, () => completeJob(job, { leaseToken: token, result: null }, now))
        if (job !== before) effects += 1
      }
      if (what === 'fail' || what === 'complete')
        assert.ok(job === before || token === before.leaseToken, 'a worker that lost its lease changes nothing')
      if (!isUnfinished(before)) assert.equal(job, before, 'a job that has ended does not change')
      assert.ok(effects <= 1 && failures <= attemptsMax, `${effects} effects, ${failures} failures`)
      assert.ok(claims <= attemptsMax + limits.jobLostLeasesMax, `${claims} claims`)
    }
  })
  fc.assert(property, { numRuns: 500 })
})
