// Schedules that start runs: the horizon, and one run per tick.
import { at, type Check } from '../harness.ts'
import { scenario } from '../support.ts'

const facts = 'agents 5, 14'

function needsScheduling(check: Check): void {
  if (at(check.discovery, 'scheduling', 'supported') !== true) check.inapplicable('scheduling is not advertised')
}

async function tick(check: Check, body: object): Promise<number> {
  const answer = await check.http('POST', '/v1/host/sample/scheduling/tick', { body })
  if ([404, 405, 501].includes(answer.status)) check.blocked('the seam scheduling/tick is not served')
  check.equal(answer.status, 200, 'POST of a tick')
  return Number(answer.body.runsFired)
}

export const scenarios = [
  scenario('scheduling-shape', facts, 'The horizon is a duration', async (check) => {
    needsScheduling(check)
    const horizon = at(check.discovery, 'scheduling', 'maxFutureHorizon')
    const duration = /^P(?=.)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(\d+H)?(\d+M)?(\d+S)?)?$/
    check.ok(typeof horizon === 'string' && duration.test(horizon), 'maxFutureHorizon is an ISO-8601 duration')
  }),

  scenario('scheduling-single-tick', facts, 'A tick starts exactly one run', async (check) => {
    needsScheduling(check)
    check.equal(await tick(check, { scenario: 'single-tick' }), 1, 'runsFired')
  }),

  scenario('scheduling-missed-window', facts, 'Missed ticks start at most one run together', async (check) => {
    needsScheduling(check)
    const fired = await tick(check, { scenario: 'missed-window', missedTicks: 5 })
    check.ok(fired === 0 || fired === 1, 'at most one run makes up for five ticks')
  }),
]
