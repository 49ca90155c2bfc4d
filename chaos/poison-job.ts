import type { Strike } from './faults.ts'
import { note } from './tally.ts'
import { waitFor } from './wait-for.ts'
import { poisonPath } from './workflows.ts'

/** More than the lease of a job. */
const leaseMsOver = 15_000
/** A job that costs more workers than this never becomes a dead letter. */
const killsMax = 15

/**
 * A poison job: the server that delivers it is killed at that moment. After some attempts it must become a dead
 * letter, and the jobs that happened to run beside it must not.
 */
export const poisonJob: Strike = async ({ site, tally, poison }) => {
  const { receiver, fleet, clock } = site
  const tried = () => receiver.at(poisonPath).length
  const name = `poison-${tried()}`
  let seen = tried()
  const body = { workflowId: 'poison' }
  const answer = await poison.callUntilAnswered({ method: 'POST', path: '/v1/runs', body, idempotencyKey: name })
  const isDone = async () => {
    const found = await poison.callUntilAnswered({
      method: 'GET',
      path: '/v1/host/colophon/jobs?status=dead&limit=500',
    })
    const job = found?.body.jobs.find(({ runId }: { runId?: string }) => runId === answer?.body.runId)
    if (job && job.error?.code !== 'poisoned')
      note(tally, 'a poison job becomes a dead letter', `${job.id} is dead because of ${job.error?.code}`)
    return job !== undefined
  }
  for (let kills = 0; kills <= killsMax; kills++) {
    let isGivenUp = false
    await waitFor(() => tried() > seen, 3_000)
    if (tried() === seen) isGivenUp = await isDone()
    if (isGivenUp) return
    seen = tried()
    await fleet.replaceAll()
    clock.set(clock.shiftMs + leaseMsOver)
  }
  if (!(await isDone())) note(tally, 'a poison job becomes a dead letter', `not after ${killsMax} servers`)
}
