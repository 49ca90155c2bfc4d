import type { Check, Scenario } from '../../harness.ts'
import { expectEntry } from '../../memory/entry.ts'
import { expectCompleted, needsLongTerm, runFixture } from '../../memory/long-term.ts'

const fixture = 'conformance-agent-memory-roundtrip'

export const agentMemoryRoundTrip: Scenario = {
  id: 'agentMemoryRoundTrip',
  facts: 'memory 16.1',
  title: 'What a run writes to long-term memory it reads back as a whole entry',
  async run(check: Check) {
    needsLongTerm(check, fixture)
    const variables = expectCompleted(check, await runFixture(check, fixture))
    expectEntry(check, variables.memoryReadback, 'memoryReadback')
  },
}
