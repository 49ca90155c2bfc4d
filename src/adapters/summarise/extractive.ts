import { setImmediate as breathe } from 'node:timers/promises'
import { summariseTexts } from '../../core/compaction/extractive/summarise.ts'
import type { Summariser } from '../../ports/summariser.ts'

/** How long it may hold the thread before others have their turn. */
const stretchMs = 2

/** The built-in summariser: no model, the same result everywhere, and writers hardly notice it. */
export function createExtractiveSummariser(now: () => number = () => performance.now()): Summariser {
  return {
    name: 'extractive',
    async summarise({ texts, bytesMax }, signal) {
      const work = summariseTexts(texts, bytesMax)
      for (let since = now(); ; ) {
        const step = work.next()
        if (step.done) return { text: step.value }
        if (now() - since < stretchMs) continue
        await breathe()
        signal.throwIfAborted()
        since = now()
      }
    },
  }
}
