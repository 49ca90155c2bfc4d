// Schedules that start runs: the horizon, and one run per tick.
import { at, type Check } from '../harness.ts'
import { extensionPath, openExtension } from '../memory/extension.ts'
import { unique } from '../memory/workflow.ts'
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

  scenario('scheduling-horizon', 'agents 5, 20', 'A schedule after the horizon is refused by name', async (check) => {
    needsScheduling(check)
    const extension = await openExtension(check)
    const days = /^P(\d+)D$/.exec(String(at(check.discovery, 'scheduling', 'maxFutureHorizon')))
    if (days === null) check.inapplicable('the horizon is not in days')
    const horizonMs = Number(days?.[1]) * 86_400_000
    const id = unique('horizon')
    const schedule = (delayMs: number) =>
      extension.send('POST', extensionPath('schedules'), { id, workflowId: 'conformance-noop', delayMs })
    const late = await schedule(horizonMs + 1_000)
    check.refused(late, [400, 422], ['schedule_horizon_exceeded'], 'a schedule a second after the horizon')
    check.equal((await schedule(horizonMs - 60_000)).status, 201, 'a schedule before the horizon')
    await extension.send('DELETE', extensionPath(`schedules/${id}`))
  }),
]
