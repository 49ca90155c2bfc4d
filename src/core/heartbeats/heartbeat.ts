import { canonicalJson } from '../canonical.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'

/** What a heartbeat observes: numbers and flags, never text. */
export type HeartbeatState = Readonly<Record<string, number | boolean>>

/** What a heartbeat looks at: how many entries a ref has, the newest position of a ref, the winner of a claim, or how many jobs are due. */
export const predicateKinds = ['count', 'position', 'claim', 'backlog'] as const

export type PredicateKind = (typeof predicateKinds)[number]

export type HeartbeatPredicate = {
  readonly kind: PredicateKind
  /** Of `count` and `position`. */
  readonly memoryRef: string | null
  readonly tag: string | null
  /** Of `claim`. */
  readonly claimId: string | null
}

/** How an evaluation ended. Only `ok` can change the state. */
export type TickStatus = 'ok' | 'timeout' | 'error'

/** One tick, as the audit and the change stream have it. `from` and `to` are there only if the state changed. */
export type HeartbeatNote = {
  readonly heartbeatId: string
  readonly status: TickStatus
  readonly from?: HeartbeatState
  readonly to?: HeartbeatState
}

/** The state before the first tick: the first observation is always a change. */
export const noState: HeartbeatState = {}

/** An interval as it is stored: a short one is raised to the minimum. */
export function clampInterval(seconds: number): number {
  if (!Number.isInteger(seconds) || seconds < 1) throw invalid('intervalSec', 'must be a whole number of at least 1')
  if (seconds > limits.heartbeatIntervalSecMax)
    throw invalid('intervalSec', `must be at most ${limits.heartbeatIntervalSecMax}`, {
      limit: 'heartbeatIntervalSecMax',
      max: limits.heartbeatIntervalSecMax,
    })
  return Math.max(seconds, limits.heartbeatIntervalSecMin)
}

/**
 * The first tick after an instant. Ticks are whole intervals after the creation of the heartbeat, so those that passed during an evaluation, or
 * while no process ran, are skipped.
 */
export function nextTick(createdAt: number, intervalSec: number, now: number): number {
  const intervalMs = intervalSec * 1_000
  return createdAt + (Math.floor(Math.max(now - createdAt, 0) / intervalMs) + 1) * intervalMs
}

/** Compares an observation with the state before. Null means that the evaluation gave none. */
export function tickNote(
  heartbeatId: string,
  status: TickStatus,
  from: HeartbeatState,
  to: HeartbeatState | null,
): HeartbeatNote {
  if (status !== 'ok' || to === null || canonicalJson(from) === canonicalJson(to)) return { heartbeatId, status }
  return { heartbeatId, status, from, to }
}

/** The payloads of the events of a tick, by type: `heartbeat.evaluated` always, `heartbeat.stateChanged` after a change. */
export function eventsOfTick({ heartbeatId, status, from, to }: HeartbeatNote): readonly HeartbeatEvent[] {
  const isChanged = from !== undefined && to !== undefined
  const evaluated = { kind: 'heartbeat.evaluated', payload: { heartbeatId, status, changed: isChanged } } as const
  if (!isChanged) return [evaluated]
  return [evaluated, { kind: 'heartbeat.stateChanged', payload: { heartbeatId, from, to } }]
}

export type HeartbeatEvent =
  | {
      readonly kind: 'heartbeat.evaluated'
      readonly payload: { readonly heartbeatId: string; readonly status: TickStatus; readonly changed: boolean }
    }
  | {
      readonly kind: 'heartbeat.stateChanged'
      readonly payload: { readonly heartbeatId: string; readonly from: HeartbeatState; readonly to: HeartbeatState }
    }
