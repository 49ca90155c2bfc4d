import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Extractor } from '../../ports/extractor.ts'

/** How long it may run before it yields to the event loop. */
const sliceMs = 10

/** The built-in extractor: rules without a model or network. It is deterministic. */
export function createRulesExtractor(): Extractor {
  let loading: ReturnType<typeof loadRules> | undefined
  return {
    name: 'rules',
    async extract(messages, signal) {
      loading ??= loadRules()
      const { extractFromMessages, languages } = await loading
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

/** Loaded on first use: the rules of all languages are a thousand patterns, and many processes never extract. */
async function loadRules() {
  const [{ extractFromMessages }, { languages }] = await Promise.all([
    import('../../core/extract/extract.ts'),
    import('../../core/extract/languages/index.ts'),
  ])
  return { extractFromMessages, languages }
}
