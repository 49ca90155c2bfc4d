import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ColophonError } from '../core/errors.ts'
import { enqueueJob, type Job } from '../core/jobs/job.ts'
import { type Measurement, onMeasurement } from '../telemetry/measurement.ts'
import { contextOf, currentTrace, inTraceScope, newTraceScope } from '../telemetry/trace-scope.ts'
import { observeAttempt } from './attempt.ts'

const parent = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`

function jobOf(kind: string, trace: Job['trace'] = null): Job {
  return enqueueJob({ jobId: 'job_1', kind, payload: null, priority: 0, dueAt: null, attemptsMax: 3, trace }, 0)
}

async function measure(job: Job, run: () => Promise<string>, waitedMs = 0): Promise<Measurement | undefined> {
  const measured: Measurement[] = []
  const stop = onMeasurement((one) => measured.push(one))
  try {
    await observeAttempt(job, waitedMs, run)
  } finally {
    stop()
  }
  assert.equal(measured.length, 1)
  return measured[0]
}

test('an attempt is measured with its outcome and with how long the job had waited', async () => {
  const measured = await measure(jobOf('colophon.run'), async () => 'interrupted', 250)
  assert.deepEqual([measured?.name, measured?.outcome, measured?.waitedMs], ['job', 'interrupted', 250])
})

test('the kind of a job of the host is a label, and the kind of any other job is not', async () => {
  const kindOf = async (kind: string) => (await measure(jobOf(kind), async () => 'ok'))?.labels.kind
  assert.equal(await kindOf('colophon.run'), 'colophon.run')
  for (const kind of ['mail-to-ada', 'colophon', 'my.colophon.run']) assert.equal(await kindOf(kind), 'other')
})

test('an attempt that throws is measured with the code of the error, and the error is passed on', async () => {
  for (const [error, outcome] of [
    [new ColophonError('not_found', 'There is no such run.'), 'not_found'],
    [new Error('anything'), 'other'],
  ] as const) {
    const outcomes: string[] = []
    const stop = onMeasurement((one) => outcomes.push(one.outcome))
    await assert.rejects(
      observeAttempt(jobOf('colophon.run'), 0, async () => {
        throw error
      }),
      error,
    )
    stop()
    assert.deepEqual(outcomes, [outcome])
  }
})

test('an attempt continues the trace of its job, not the trace of the caller', async () => {
  const traceIn = async (trace: Job['trace']) => {
    let seen: Job['trace'] = null
    await inTraceScope(newTraceScope(contextOf(parent('b'), null)), () =>
      measure(jobOf('colophon.run', trace), async () => {
        seen = currentTrace()
        return 'ok'
      }),
    )
    return seen
  }
  const own = { parent: parent('a'), state: 'vendor=1' }
  assert.deepEqual(await traceIn(own), own)
  assert.equal(await traceIn(null), null)
})
