import { limits } from '../../core/limits.ts'

/** What a pass of upkeep goes by: it ends when its job does, and tells how far it is. */
export type Pass = {
  readonly signal: AbortSignal
  readonly onProgress?: (counts: Readonly<Record<string, number>>) => void
}

/** Between two steps writers have the store to themselves for this many times as long as the step took. */
const restFactor = 3
const restMsMax = 250

/**
 * Takes small steps until one finds nothing to do. Upkeep is never in a hurry: a writer that comes while it runs waits for
 * one step at most, and most of the time for none.
 */
export async function inSmallSteps({ signal }: Pass, step: () => Promise<'more' | 'done'>): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const began = performance.now()
    if ((await step()) === 'done') return
    const took = performance.now() - began
    await new Promise((resolve) => setTimeout(resolve, Math.min(took * restFactor, restMsMax)))
  }
}

/** Runs in groups that have few enough events for one step; a longer run goes alone. */
export function* inGroups<T extends { readonly nextSequence: number }>(runs: readonly T[]): Generator<T[]> {
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
