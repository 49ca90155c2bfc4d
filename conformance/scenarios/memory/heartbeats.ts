// Heartbeats: one evaluation per tick and at a time, an event only for a change, an end for one that takes too long, and a state that lasts.
import { setTimeout as delay } from 'node:timers/promises'
import { asArray, at, type Check, isObject } from '../../harness.ts'
import { sendRequest } from '../../http.ts'
import { unique } from '../../memory/workflow.ts'
import { scenario } from '../../support.ts'

const facts = 'agents 6, 14, 20'
/** Between two ticks beside a slow one. */
const pauseMs = 20

function needsHeartbeat(check: Check): void {
  if (at(check.discovery, 'heartbeat', 'supported') !== true) check.inapplicable('heartbeat is not advertised')
}

type Tick = { readonly evaluated: readonly unknown[]; readonly stateChanged: readonly unknown[]; readonly runs: number }

async function tick(
  check: Check,
  heartbeatId: string,
  observedState: object,
  { url = check.target.url, ...more }: { readonly url?: string; readonly simulateSlowMs?: number } = {},
): Promise<Tick> {
  const body = { heartbeatId, observedState, ...more }
  const answer = await sendRequest({ ...check.target, url }, 'POST', '/v1/host/sample/heartbeat/tick', { body })
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

  scenario('heartbeat-overlap', facts, 'A tick during an evaluation is skipped', async (check) => {
    needsHeartbeat(check)
    const heartbeatId = unique('heartbeat')
    const first = await tick(check, heartbeatId, { unread: 0 })
    check.equal(first.evaluated, [{ heartbeatId, status: 'ok', changed: true }], 'the first tick is evaluated')
    let isOver = false
    const slow = tick(check, heartbeatId, { unread: 1 }, { simulateSlowMs: 60_000 }).finally(() => (isOver = true))
    // If a tick beside it fails first, that is the reason.
    slow.catch(() => {})
    // A tick may overtake the slow one, so they are repeated until one is skipped.
    const during: Tick[] = []
    while (!isOver && during.every(({ evaluated }) => evaluated.length > 0)) {
      const quick = await tick(check, heartbeatId, { unread: 2 })
      if (!isOver) during.push(quick)
      await delay(pauseMs)
    }
    const { evaluated } = await slow
    if (during.length < 2 && during.every((quick) => quick.evaluated.length > 0)) check.tooLate()
    const skipped = during.filter((quick) => quick.evaluated.length === 0)
    check.equal(skipped.length, 1, 'ticks that are skipped during an evaluation')
    check.equal([skipped[0]?.stateChanged, skipped[0]?.runs], [[], 0], 'what a skipped tick changes')
    check.equal(evaluated, [{ heartbeatId, status: 'timeout', changed: false }], 'the evaluation under way')
    const { evaluated: next } = await tick(check, heartbeatId, { unread: 3 })
    check.equal(next, [{ heartbeatId, status: 'ok', changed: true }], 'the tick after it')
  }),
]

/** It needs more than an address, so it is not among the others: see `--restart`. */
export const heartbeatRestart = scenario(
  'heartbeat-restart',
  facts,
  'The state of a heartbeat survives a restart',
  async (check) => {
    needsHeartbeat(check)
    const { restart } = check.target
    if (restart === undefined) return check.inapplicable(notRestarted)
    const heartbeatId = unique('heartbeat')
    const first = await tick(check, heartbeatId, { unread: 4 })
    check.equal(first.stateChanged, [{ heartbeatId, from: {}, to: { unread: 4 } }], 'the first tick changes the state')
    const url = await restart()
    const same = await tick(check, heartbeatId, { unread: 4 }, { url })
    check.equal(same.evaluated, [{ heartbeatId, status: 'ok', changed: false }], 'the same state after a restart')
    check.equal([same.stateChanged, same.runs], [[], 0], 'what a restart changes')
    const changed = await tick(check, heartbeatId, { unread: 5 }, { url })
    check.equal(changed.stateChanged, [{ heartbeatId, from: { unread: 4 }, to: { unread: 5 } }], 'the next change')
  },
  { isAlone: true },
)

const notRestarted = 'no way to restart the host was given (--restart)'
