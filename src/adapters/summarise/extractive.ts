import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { summariseTexts } from '../../core/compaction/extractive/summarise.ts'
import type { Summariser } from '../../ports/summariser.ts'

/** How long it may run before it yields to the event loop. */
const sliceMs = 2

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
        if (now() - sliceStart < sliceMs) continue
        await yieldToEventLoop()
        signal.throwIfAborted()
        sliceStart = now()
      }
    },
  }
}
