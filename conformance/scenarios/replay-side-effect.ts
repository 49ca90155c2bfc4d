// A replay does not do again what reaches beyond the run.
import { asArray, at, type Check } from '../harness.ts'
import { completedRun, hasStatus, nodeOf, scenario } from '../support.ts'

const facts = 'core 26.39'
const fixture = 'conformance-replay-side-effect'
const effectNode = 'effect'

function needsSuppression(check: Check): void {
  const replay = check.needsFamily('replay')
  if (!asArray(replay.modes).includes('replay')) check.inapplicable('replay.modes does not hold replay')
  if (replay.sideEffectSuppression !== 'recorded-outcome')
    check.blocked('sideEffectSuppression is not recorded-outcome')
  check.needsFixture(fixture)
}

async function replay(check: Check, runId: string): Promise<string> {
  const answer = await check.http('POST', `/v1/runs/${runId}:fork`, { body: { mode: 'replay', fromSeq: 0 } })
  check.equal(answer.status, 201, 'POST :fork')
  await check.waitFor(String(answer.body.runId))
  return String(answer.body.runId)
}

export const scenarios = [
  scenario('replay-side-effect-suppression.shape', facts, 'sideEffectSuppression has a known value', async (check) => {
    const suppression = check.needsFamily('replay').sideEffectSuppression
    if (suppression !== undefined) check.oneOf(suppression, ['recorded-outcome', 'none'], 'sideEffectSuppression')
    else check.inapplicable('replay.sideEffectSuppression is not there, which means none')
  }),

  scenario(
    'replay-side-effect-suppression',
    facts,
    'An effect the source never had fails in the replay',
    async (check) => {
      needsSuppression(check)
      const delayMs = 2000
      const runId = await check.before(Date.now() + delayMs, async () => {
        const source = await check.createRun({ workflowId: fixture, inputs: { delayMs } })
        await check.waitFor(source, hasStatus('running'))
        await check.http('POST', `/v1/runs/${source}/cancel`, { body: {} })
        return source
      })
      check.equal((await check.waitFor(runId)).status, 'cancelled', 'the source')
      const before = (await check.events(runId)).filter((event) => nodeOf(event) === effectNode)
      check.equal(before.length, 0, 'events of the effect in the source')
      const effects = (await check.events(await replay(check, runId))).filter((event) => nodeOf(event) === effectNode)
      const failed = effects.find(({ type }) => type === 'node.failed')
      check.ok(failed, 'the effect node fails in the replay')
      check.equal(at(failed?.payload, 'error', 'code'), 'replay_source_missing', 'error.code of node.failed')
      check.equal(effects.filter(({ type }) => type === 'node.completed').length, 0, 'completions of the effect')
    },
  ),

  scenario(
    'replay-side-effect-suppression.recorded',
    'core 12',
    'A recorded effect is taken from the source',
    async (check) => {
      needsSuppression(check)
      const { runId } = await completedRun(check, { workflowId: fixture, inputs: { delayMs: 10 } })
      const outcome = async (id: string) =>
        (await check.events(id)).find((event) => event.type === 'node.completed' && nodeOf(event) === effectNode)
      const recorded = await outcome(runId)
      check.ok(recorded, 'the effect completed in the source')
      const copy = await replay(check, runId)
      check.equal((await check.snapshot(copy)).status, 'completed', 'the replay')
      check.equal(
        at((await outcome(copy))?.payload, 'outputs'),
        at(recorded?.payload, 'outputs'),
        'the outcome of the effect in the replay',
      )
    },
  ),
]
