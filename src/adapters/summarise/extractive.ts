import { setTimeout as pause } from 'node:timers/promises'
import { summariseTexts } from '../../core/compaction/extractive/summarise.ts'
import { limits } from '../../core/limits.ts'
import type { Summariser } from '../../ports/summariser.ts'

/**
 * The built-in summariser: extractive, deterministic, without a model. It runs in short time slices, so that requests are
 * not delayed.
 */
export function createExtractiveSummariser(now: () => number = () => performance.now()): Summariser {
  return {
    name: 'extractive',
    async summarise({ texts, bytesMax }, signal) {
      const steps = summariseTexts(texts, bytesMax)
      for (let sliceStart = now(); ; ) {
        const step = steps.next()
        if (step.done) return { text: step.value }
        const workedMs = now() - sliceStart
        if (workedMs < limits.loopSliceMs) continue
        // A put takes several turns of the event loop. Without a pause it would wait for a slice in each.
        await pause(2 * workedMs)
        signal.throwIfAborted()
        sliceStart = now()
      }
    },
  }
}
