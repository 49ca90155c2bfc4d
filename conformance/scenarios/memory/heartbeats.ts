// Heartbeats: one evaluation per tick, an event only for a change, and an end for one that takes too long.
import { asArray, at, type Check, isObject } from '../../harness.ts'
import { unique } from '../../memory/workflow.ts'
import { scenario } from '../../support.ts'

const facts = 'agents 6, 14'

function needsHeartbeat(check: Check): void {
  if (at(check.discovery, 'heartbeat', 'supported') !== true) check.inapplicable('heartbeat is not advertised')
}

type Tick = { readonly evaluated: readonly unknown[]; readonly stateChanged: readonly unknown[]; readonly runs: number }

async function tick(check: Check, heartbeatId: string, observedState: object, more: object = {}): Promise<Tick> {
  const body = { heartbeatId, observedState, ...more }
  const answer = await check.http('POST', '/v1/host/sample/heartbeat/tick', { body })
  if ([404, 405, 501].includes(answer.status)) check.blocked('the seam heartbeat/tick is not served')
  check.equal(answer.status, 200, 'POST of heartbeat/tick')
  const { evaluated, stateChanged, enqueuedRuns } = answer.body
  return { evaluated: asArray(evaluated), stateChanged: asArray(stateChanged), runs: Number(enqueuedRuns) }
}

export const heartbeatScenarios = [
  scenario('heartbeat-shape', facts, 'The limits of heartbeats are whole numbers', async (check) => {
    needsHeartbeat(check)
    const block = at(check.discovery, 'heartbeat')
    const members = Object.entries(isObject(block) ? block : {}).filter(([name]) => name !== 'supported')
    for (const [name, value] of members) {
      check.ok(name === 'minIntervalSec' || name === 'maxRuntimeMs', 'heartbeat has known members only')
      check.ok(Number.isInteger(value) && Number(value) >= 1, `heartbeat.${name} is a whole number of at least 1`)
    }
    const longest = at(check.discovery, 'limits', 'maxRunDurationMs')
    const runtime = at(check.discovery, 'heartbeat', 'maxRuntimeMs')
    if (typeof longest === 'number' && typeof runtime === 'number')
      check.ok(runtime <= longest, 'heartbeat.maxRuntimeMs is no longer than a run may be')
  }),

  scenario('heartbeat-evaluated', facts, 'A tick is evaluated once', async (check) => {
    needsHeartbeat(check)
    const heartbeatId = unique('heartbeat')
    const { evaluated } = await tick(check, heartbeatId, { unread: 1 })
    check.equal(evaluated, [{ heartbeatId, status: 'ok', changed: true }], 'evaluated')
  }),

  scenario('heartbeat-state-changed', facts, 'Only a change has an event and a run', async (check) => {
    needsHeartbeat(check)
    const heartbeatId = unique('heartbeat')
    const first = await tick(check, heartbeatId, { unread: 0 })
    check.equal(first.stateChanged, [{ heartbeatId, from: {}, to: { unread: 0 } }], 'the first tick changes the state')
    const same = await tick(check, heartbeatId, { unread: 0 })
    check.equal(same.stateChanged, [], 'the same state is no change')
    check.equal(same.runs, 0, 'runs without a change')
    const changed = await tick(check, heartbeatId, { unread: 3 })
    check.equal(changed.stateChanged, [{ heartbeatId, from: { unread: 0 }, to: { unread: 3 } }], 'the change')
    check.ok(changed.runs === 0 || changed.runs === 1, 'a change starts at most one run')
  }),

  scenario('heartbeat-timeout', facts, 'A slow evaluation is ended and changes nothing', async (check) => {
    needsHeartbeat(check)
    const heartbeatId = unique('heartbeat')
    const slow = await tick(check, heartbeatId, { unread: 9 }, { simulateSlowMs: 60_000 })
    check.equal(slow.evaluated, [{ heartbeatId, status: 'timeout', changed: false }], 'evaluated after the limit')
    check.equal([slow.stateChanged, slow.runs], [[], 0], 'what a slow evaluation changes')
  }),
]
