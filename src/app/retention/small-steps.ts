import { limits } from '../../core/limits.ts'

/** The abort signal of an upkeep pass, and its progress callback. */
export type UpkeepPass = {
  readonly signal: AbortSignal
  readonly onProgress?: (counts: Readonly<Record<string, number>>) => void
}

/** The pause after a step, as a multiple of the time that the step took. Writers have the database to themselves meanwhile. */
const pauseFactor = 3
const pauseMsMax = 250

/** Runs small steps with pauses until one returns `done`. A writer waits for one step at most. */
export async function inSmallSteps({ signal }: UpkeepPass, step: () => Promise<'more' | 'done'>): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const began = performance.now()
    if ((await step()) === 'done') return
    const took = performance.now() - began
    await new Promise((resolve) => setTimeout(resolve, Math.min(took * pauseFactor, pauseMsMax)))
  }
}

/** Groups runs so that one step deletes at most `upkeepStepEventsMax` events. A longer run is a group of its own. */
export function* groupByEvents<T extends { readonly nextSequence: number }>(runs: readonly T[]): Generator<T[]> {
  let group: T[] = []
  let events = 0
  for (const run of runs) {
    if (group.length > 0 && events + run.nextSequence > limits.upkeepStepEventsMax) {
      yield group
      group = []
      events = 0
    }
    group.push(run)
    events += run.nextSequence
  }
  if (group.length > 0) yield group
}
