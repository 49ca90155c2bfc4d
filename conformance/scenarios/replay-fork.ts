// Forking a run: what is refused, what a replay and a branch give, and that replays are deterministic.
import { asArray, type Check } from '../harness.ts'
import { completedRun, scenario, shapeOf, unknownId } from '../support.ts'

const facts = 'core 26.37'
const determinismFacts = 'core 26.38'

function needsMode(check: Check, mode: 'replay' | 'branch'): void {
  const replay = check.needsFamily('replay')
  if (!asArray(replay.modes).includes(mode)) check.inapplicable(`replay.modes does not hold ${mode}`)
}

const fork = (check: Check, runId: string, body: unknown) => check.http('POST', `/v1/runs/${runId}:fork`, { body })

async function forked(check: Check, runId: string, body: { mode: string; fromSeq?: number }): Promise<string> {
  const answer = await fork(check, runId, body)
  if (answer.status === 501) check.blocked(`${body.mode} is advertised, but not built`)
  check.equal(answer.status, 201, `POST :fork ${JSON.stringify(body)}`)
  check.equal(answer.body.sourceRunId, runId, 'sourceRunId')
  check.equal(answer.body.mode, body.mode, 'mode')
  check.ok(typeof answer.body.runId === 'string' && answer.body.runId !== runId, 'runId is a new one')
  return String(answer.body.runId)
}

async function source(check: Check): Promise<string> {
  const workflowId = check.hasFixture('conformance-multi-node') ? 'conformance-multi-node' : 'conformance-noop'
  return (await completedRun(check, { workflowId })).runId
}

export const scenarios = [
  scenario('replay-fork.replay', facts, 'A replay of a completed run completes', async (check) => {
    needsMode(check, 'replay')
    const runId = await source(check)
    const copy = await forked(check, runId, { mode: 'replay', fromSeq: 0 })
    const snapshot = await check.waitFor(copy)
    check.equal(snapshot.status, 'completed', 'the terminal status of the replay')
    check.equal((await check.snapshot(runId)).status, 'completed', 'the source afterwards')
    check.published('run-snapshot', snapshot, 'the snapshot of the replay')
  }),

  scenario('replay-fork.default', 'core 12', 'A replay without fromSeq begins at 0', async (check) => {
    needsMode(check, 'replay')
    const copy = await forked(check, await source(check), { mode: 'replay' })
    check.equal((await check.waitFor(copy)).status, 'completed', 'the terminal status of the replay')
  }),

  scenario('replay-fork.branch', facts, 'A branch from a point of the log completes', async (check) => {
    needsMode(check, 'branch')
    const copy = await forked(check, await source(check), { mode: 'branch', fromSeq: 0 })
    check.equal((await check.waitFor(copy)).status, 'completed', 'the terminal status of the branch')
  }),

  scenario('replay-fork.bad-body', facts, 'A fork with a wrong fromSeq, mode or overlay is 400', async (check) => {
    const modes = asArray(check.needsFamily('replay').modes)
    const runId = await source(check)
    const wrong: unknown[] = [{}, { mode: 'sideways', fromSeq: 0 }]
    if (modes.includes('replay')) {
      wrong.push({ mode: 'replay', fromSeq: -1 }, { mode: 'replay', fromSeq: 1.5 }, { mode: 'replay', fromSeq: 'x' })
      wrong.push({ mode: 'replay', fromSeq: 0, runOptionsOverlay: { tags: ['changed'] } })
    }
    if (modes.includes('branch')) wrong.push({ mode: 'branch' })
    for (const body of wrong) check.refused(await fork(check, runId, body), [400], null, JSON.stringify(body))
  }),

  scenario('replay-fork.beyond', facts, 'A fromSeq that is not in the log is 422', async (check) => {
    needsMode(check, 'replay')
    const answer = await fork(check, await source(check), { mode: 'replay', fromSeq: 99_999 })
    check.refused(answer, [422], null, 'fromSeq 99999')
  }),

  scenario('replay-fork.unknown', facts, 'Forking an unknown run is 404 or 403', async (check) => {
    check.needsFamily('replay')
    const answer = await fork(check, unknownId(), { mode: 'replay', fromSeq: 0 })
    check.refused(answer, [403, 404], null, 'POST :fork of an unknown run')
  }),

  scenario('replay-determinism.equal', determinismFacts, 'Two replays of one point have equal logs', async (check) => {
    needsMode(check, 'replay')
    const runId = await source(check)
    const logs: unknown[][] = []
    for (let turn = 0; turn < 2; turn += 1) {
      const copy = await forked(check, runId, { mode: 'replay', fromSeq: 0 })
      check.equal((await check.waitFor(copy)).status, 'completed', `the end of replay ${turn + 1}`)
      logs.push(shapeOf(await check.events(copy)))
    }
    check.ok((logs[0]?.length ?? 0) > 0, 'a replay has events')
    check.equal(logs[1]?.length, logs[0]?.length, 'the number of events')
    for (const [index, event] of (logs[0] ?? []).entries()) check.equal(logs[1]?.[index], event, `event ${index}`)
  }),

  scenario(
    'replay-determinism.prefix',
    'core 12',
    'What lies before fromSeq is the history of the source',
    async (check) => {
      needsMode(check, 'replay')
      const runId = await source(check)
      const history = await check.events(runId)
      const firstDone = history.find(({ type }) => type === 'node.completed')
      const fromSeq = (firstDone?.sequence ?? 0) + 1
      const copy = await forked(check, runId, { mode: 'replay', fromSeq })
      check.equal((await check.waitFor(copy)).status, 'completed', 'the end of the replay')
      const prefix = (await check.events(copy)).filter(({ sequence }) => sequence < fromSeq)
      check.equal(
        shapeOf(prefix),
        shapeOf(history.filter(({ sequence }) => sequence < fromSeq)),
        'the events before fromSeq',
      )
    },
  ),
]
