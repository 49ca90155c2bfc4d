import type { EngineClock } from '../connection.ts'

/** Moves the demo to an instant of its week. */
export type DemoClock = { readonly isSimulated: boolean; readonly now: () => number; moveTo(instant: number): void }

/** The clock of a server that runs: it cannot be moved, so all steps of the week are recorded now. */
export const runningClock: DemoClock = { isSimulated: false, now: Date.now, moveTo() {} }

/**
 * A clock for a new tenant of this process. It shows the time of the machine until it is first moved, which may be back. From then on it
 * only moves forward, and never past the time of the machine.
 */
export class SimulatedClock implements DemoClock, EngineClock {
  readonly isSimulated = true
  onMove = () => {}
  #behindMs = 0

  readonly now = (): number => Date.now() - this.#behindMs

  moveTo(instant: number): void {
    const behindMs = Math.max(Date.now() - instant, 0)
    this.#behindMs = this.#behindMs === 0 ? behindMs : Math.min(this.#behindMs, behindMs)
    this.onMove()
  }
}
