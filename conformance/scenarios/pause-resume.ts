// Pausing and resuming a run by hand.
import { at, type Check } from '../harness.ts'
import {
  cancelQuietly,
  completedRun,
  freshKey,
  hasStatus,
  nodeOf,
  ofType,
  scenario,
  strings,
  unknownId,
} from '../support.ts'

const facts = 'core 26.21'

const policies = (check: Check): readonly string[] =>
  strings(at(check.discovery, 'runs', 'pauseResume', 'drainPolicies'))

function needsPause(check: Check): void {
  if (at(check.discovery, 'runs', 'pauseResume', 'supported') !== true)
    check.inapplicable('runs.pauseResume is not advertised')
}

const act = (check: Check, runId: string, verb: 'pause' | 'resume', body: unknown = {}, headers = {}) =>
  check.http('POST', `/v1/runs/${runId}:${verb}`, { body, headers })

/** A run that is paused, or whatever else is done to it, while its only node still waits. */
async function whileRunning(check: Check, delayMs: number, act: (runId: string) => Promise<void>): Promise<string> {
  needsPause(check)
  check.needsFixture('conformance-delay')
  return check.before(Date.now() + delayMs, async () => {
    const runId = await check.createRun({ workflowId: 'conformance-delay', inputs: { delayMs } })
    await check.waitFor(runId, hasStatus('running'))
    await act(runId)
    return runId
  })
}

export const scenarios = [
  scenario('pause-resume.unadvertised', facts, 'A host without pause answers 404', async (check) => {
    if (at(check.discovery, 'runs', 'pauseResume', 'supported') === true) check.inapplicable('pause is advertised')
    check.oneOf((await act(check, unknownId(), 'pause')).status, [404, 405, 501], 'POST :pause')
  }),

  scenario(
    'pause-resume.drain',
    facts,
    'Draining lets the node finish before the pause, and resume ends the run',
    async (check) => {
      needsPause(check)
      if (!policies(check).includes('drain-current-node')) check.inapplicable('drain-current-node is not advertised')
      const runId = await whileRunning(check, 1500, async (running) => {
        const paused = await act(check, running, 'pause', { reason: 'lunch', drainPolicy: 'drain-current-node' })
        check.equal(paused.status, 202, 'POST :pause')
        check.equal(paused.body.status, 'paused', 'the status of the answer')
      })
      await check.waitFor(runId, hasStatus('paused'))
      const log = await check.events(runId)
      const pauses = ofType(log, 'run.paused')
      check.equal(pauses.length, 1, 'the number of run.paused events')
      check.equal(at(pauses[0]?.payload, 'reason'), 'lunch', 'the reason of run.paused')
      check.equal(at(pauses[0]?.payload, 'drainPolicy'), 'drain-current-node', 'the drainPolicy of run.paused')
      for (const started of ofType(log, 'node.started')) {
        const done = ofType(log, 'node.completed').find((event) => nodeOf(event) === nodeOf(started))
        check.ok(done && done.sequence < (pauses[0]?.sequence ?? 0), 'node.completed comes before run.paused')
      }
      const resumed = await act(check, runId, 'resume')
      check.equal(resumed.status, 202, 'POST :resume')
      check.equal(resumed.body.status, 'running', 'the status of the answer')
      check.equal((await check.waitFor(runId)).status, 'completed', 'the terminal status')
      check.equal(ofType(await check.events(runId), 'run.resumed').length, 1, 'the number of run.resumed events')
    },
  ),

  scenario(
    'pause-resume.immediate',
    facts,
    'An immediate pause cuts the attempt; resume begins another',
    async (check) => {
      needsPause(check)
      if (!policies(check).includes('immediate')) check.inapplicable('immediate is not advertised')
      const runId = await whileRunning(check, 2000, async (running) => {
        check.equal((await act(check, running, 'pause', { drainPolicy: 'immediate' })).status, 202, 'POST :pause')
      })
      await check.waitFor(runId, hasStatus('paused'))
      check.equal(ofType(await check.events(runId), 'node.completed').length, 0, 'nodes completed before the pause')
      check.equal((await act(check, runId, 'resume')).status, 202, 'POST :resume')
      check.equal((await check.waitFor(runId)).status, 'completed', 'the terminal status')
      const events = await check.events(runId)
      check.equal(ofType(events, 'node.failed').length, 0, 'the number of node.failed events')
      check.equal(ofType(events, 'node.started').length, 2, 'the number of attempts')
    },
  ),

  scenario('pause-resume.twice', facts, 'A second pause is 409, and 202 under the key of the first', async (check) => {
    const headers = { 'Idempotency-Key': freshKey() }
    const runId = await whileRunning(check, 1500, async (running) => {
      const first = await act(check, running, 'pause', {}, headers)
      check.equal(first.status, 202, 'the first pause')
    })
    await check.waitFor(runId, hasStatus('paused'))
    const second = await act(check, runId, 'pause')
    check.refused(second, [409], null, 'the second pause')
    check.equal(at(second.body.details, 'runStatus'), 'paused', 'details.runStatus')
    check.ok(at(second.body.details, 'pausedAt') !== undefined, 'details.pausedAt is there')
    check.equal((await act(check, runId, 'pause', {}, headers)).status, 202, 'the repeated first pause')
    await cancelQuietly(check, runId)
  }),

  scenario(
    'pause-resume.wrong-state',
    facts,
    'Pausing a finished run and resuming a running one are 409',
    async (check) => {
      needsPause(check)
      const { runId } = await completedRun(check, { workflowId: 'conformance-noop' })
      const late = await act(check, runId, 'pause')
      check.refused(late, [409], null, 'pausing a finished run')
      check.equal(at(late.body.details, 'runStatus'), 'completed', 'details.runStatus')
      await whileRunning(check, 30_000, async (running) => {
        const early = await act(check, running, 'resume')
        check.refused(early, [409], null, 'resuming a running run')
        check.equal(at(early.body.details, 'runStatus'), 'running', 'details.runStatus')
        await cancelQuietly(check, running)
      })
    },
  ),

  scenario('pause-resume.unknown', facts, 'Pausing or resuming an unknown run is 404', async (check) => {
    needsPause(check)
    check.refused(await act(check, unknownId(), 'pause'), [403, 404], null, 'POST :pause')
    check.refused(await act(check, unknownId(), 'resume'), [403, 404], null, 'POST :resume')
  }),

  scenario('pause-resume.suspended', facts, 'A pause does not lose the decision a run waits for', async (check) => {
    needsPause(check)
    check.needsFixture('conformance-approval')
    const runId = await check.createRun({ workflowId: 'conformance-approval' })
    await check.waitFor(runId, hasStatus('waiting-approval'))
    const answer = await act(check, runId, 'pause')
    check.oneOf(answer.status, [202, 409, 422], 'POST :pause of a suspended run')
    if (answer.status === 202) check.equal((await act(check, runId, 'resume')).status, 202, 'POST :resume')
    const waiting = await check.waitFor(runId, hasStatus('waiting-approval'))
    check.equal(waiting.currentNodeId, 'gate', 'the node the run still waits at')
    await cancelQuietly(check, runId)
  }),
]
