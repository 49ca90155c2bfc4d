// What can be wrong with a heartbeat: how often it is evaluated, and what counts as a change.
import { asArray } from '../harness.ts'
import { inAnswersTo, inDiscovery, member } from './edits.ts'
import type { NoticedFault } from './noticed.ts'

const tickPath = /\/v1\/host\/sample\/heartbeat\/tick$/

const twice = (name: string) =>
  inAnswersTo(tickPath, (body) => ({ ...body, [name]: [...asArray(body[name]), ...asArray(body[name])] }))

/** The answers after the first are as given. */
function later(change: object) {
  let seen = 0
  return inAnswersTo(tickPath, (body) => (seen++ === 0 ? body : { ...body, ...change }))
}

/** The answers to ticks that are not evaluated are as given. */
const ofSkipped = (change: object) =>
  inAnswersTo(tickPath, (body) => (asArray(body.evaluated).length === 0 ? { ...body, ...change } : body))

const changed = { heartbeatId: 'any', from: { unread: 0 }, to: { unread: 0 } }

export const heartbeatFaults = (): readonly NoticedFault[] => [
  {
    name: 'an interval of no seconds',
    scenario: 'heartbeat-shape',
    reason: /minIntervalSec is a whole number/,
    fault: inDiscovery((document) => ({ ...document, heartbeat: { supported: true, minIntervalSec: 0 } })),
  },
  {
    name: 'an evaluation that may take longer than a run',
    scenario: 'heartbeat-shape',
    reason: /no longer than a run/,
    fault: inDiscovery((document) => ({
      ...document,
      heartbeat: { ...member(document.heartbeat), maxRuntimeMs: Number.MAX_SAFE_INTEGER },
    })),
  },
  {
    name: 'a tick that is evaluated twice',
    scenario: 'heartbeat-evaluated',
    reason: /evaluated/,
    fault: twice('evaluated'),
  },
  {
    name: 'a change that is told twice',
    scenario: 'heartbeat-state-changed',
    reason: /the first tick changes the state/,
    fault: twice('stateChanged'),
  },
  {
    name: 'a change where there is none',
    scenario: 'heartbeat-state-changed',
    reason: /the same state is no change/,
    fault: later({ stateChanged: [changed] }),
  },
  {
    name: 'a run without a change',
    scenario: 'heartbeat-state-changed',
    reason: /runs without a change/,
    fault: later({ enqueuedRuns: 1 }),
  },
  {
    name: 'a slow evaluation that counts',
    scenario: 'heartbeat-timeout',
    reason: /evaluated after the limit/,
    fault: inAnswersTo(tickPath, (body) => ({
      ...body,
      evaluated: asArray(body.evaluated).map((tick) => ({ ...member(tick), status: 'ok' })),
    })),
  },
  {
    name: 'a tick that is evaluated beside another',
    scenario: 'heartbeat-overlap',
    reason: /ticks that are skipped during an evaluation/,
    fault: ofSkipped({ evaluated: [{ heartbeatId: 'any', status: 'ok', changed: false }] }),
  },
  {
    name: 'a skipped tick that changes the state',
    scenario: 'heartbeat-overlap',
    reason: /what a skipped tick changes/,
    fault: ofSkipped({ stateChanged: [changed] }),
  },
]
