import { setImmediate } from 'node:timers/promises'
import { extractSteps } from '../../core/extract/extract.ts'
import { languages } from '../../core/extract/languages/index.ts'
import type { Extractor } from '../../ports/extractor.ts'

/** How long it may read before others get their turn. */
const turnMs = 10

/** The built-in extractor: patterns, no model, no network; equal messages always give equal candidates. */
export function createRulesExtractor(): Extractor {
  return {
    name: 'rules',
    async extract(messages, signal) {
      const steps = extractSteps(messages, languages)
      let turn = performance.now()
      for (let step = steps.next(); ; step = steps.next()) {
        signal.throwIfAborted()
        if (step.done) return { candidates: step.value, extractor: 'rules' }
        if (performance.now() - turn < turnMs) continue
        await setImmediate()
        turn = performance.now()
      }
    },
  }
}
