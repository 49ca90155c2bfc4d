import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { extractFromMessages } from '../../core/extract/extract.ts'
import { languages } from '../../core/extract/languages/index.ts'
import type { Extractor } from '../../ports/extractor.ts'

/** How long it may run before it yields to the event loop. */
const sliceMs = 10

/** The built-in extractor: rules without a model or network. It is deterministic. */
export function createRulesExtractor(): Extractor {
  return {
    name: 'rules',
    async extract(messages, signal) {
      const steps = extractFromMessages(messages, languages)
      let sliceStart = performance.now()
      for (let step = steps.next(); ; step = steps.next()) {
        signal.throwIfAborted()
        if (step.done) return { candidates: step.value, extractor: 'rules' }
        if (performance.now() - sliceStart < sliceMs) continue
        await yieldToEventLoop()
        sliceStart = performance.now()
      }
    },
  }
}
