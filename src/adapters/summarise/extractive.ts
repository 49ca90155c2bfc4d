import { setTimeout as pause, setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { summariseTexts } from '../../core/compaction/extractive/summarise.ts'
import type { Summariser } from '../../ports/summariser.ts'

/** How long it may run before it yields to the event loop. */
const sliceMs = 2
/** A longer summary pauses after each slice, so that writers have the process to themselves most of the time. */
const busyMs = 200
const pauseMs = 4

/**
 * The built-in summariser: extractive, deterministic, without a model. It runs in short time slices, so that requests are
 * not delayed.
 */
export function createExtractiveSummariser(now: () => number = () => performance.now()): Summariser {
  return {
    name: 'extractive',
    async summarise({ texts, bytesMax }, signal) {
      const steps = summariseTexts(texts, bytesMax)
      const began = now()
      for (let sliceStart = began; ; ) {
        const step = steps.next()
        if (step.done) return { text: step.value }
        if (now() - sliceStart < sliceMs) continue
        await (now() - began < busyMs ? yieldToEventLoop() : pause(pauseMs))
        signal.throwIfAborted()
        sliceStart = now()
      }
    },
  }
}
