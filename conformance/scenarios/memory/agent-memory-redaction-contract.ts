import type { Scenario } from '../../harness.ts'
import { expectEntry } from '../../memory/entry.ts'
import { expectCompleted, needsLongTerm, redactedMarker, runFixture } from '../../memory/long-term.ts'

const fixture = 'conformance-agent-memory-redaction'

export const agentMemoryRedactionContract: Scenario = {
  id: 'agentMemoryRedactionContract',
  facts: 'memory 16.3',
  title: 'SR-1: a secret the run resolved is stored as a marker',
  async run(check) {
    needsLongTerm(check, fixture)
    const { memoryReadback } = expectCompleted(check, await runFixture(check, fixture))
    const { content } = expectEntry(check, memoryReadback, 'memoryReadback')
    check.matches(content, redactedMarker, 'memoryReadback.content')
  },
}
