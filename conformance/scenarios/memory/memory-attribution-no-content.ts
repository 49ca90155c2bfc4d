import { at, isObject, type Scenario } from '../../harness.ts'
import { needsWriteEvents, readLog, seedWritingRun, writtenOf } from '../../memory/attribution.ts'
import { expectCompleted, hasLongTerm, runFixture } from '../../memory/long-term.ts'

const writingFixture = 'conformance-agent-memory-roundtrip'

export const memoryAttributionNoContent: Scenario = {
  id: 'memory-attribution-no-content',
  facts: 'memory 16.8, 10.2',
  title: 'The events of memory writes name entries and never show them',
  async run(check) {
    needsWriteEvents(check)
    const { written } = await seedWritingRun(check)
    for (const { payload } of written) {
      check.ok(isObject(payload) && !('content' in payload), 'memory.written has no content')
      check.oneOf(typeof at(payload, 'memoryRef'), ['string'], 'type of memoryRef')
      check.oneOf(typeof at(payload, 'memoryId'), ['string'], 'type of memoryId')
    }
    if (!hasLongTerm(check) || !check.hasFixture(writingFixture)) return
    // The seed's text is unknown to us; that of the round trip is not, so here the text itself can be looked for.
    const run = await runFixture(check, writingFixture)
    const content = String(at(expectCompleted(check, run).memoryReadback, 'content') ?? '')
    check.ok(content !== '', 'the round trip read a text back')
    const events = JSON.stringify(writtenOf(await readLog(check, run.runId)))
    check.absent(events, JSON.stringify(content).slice(1, -1), 'a memory.written event holds the text that was written')
  },
}
