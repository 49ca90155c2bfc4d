import type { Check, Scenario, Snapshot } from '../../harness.ts'
import { expectEntries, idsOf } from '../../memory/entry.ts'
import { expectCompleted, needsLongTerm, runFixture } from '../../memory/long-term.ts'

const fixture = 'conformance-agent-memory-ttl'
const probeTriesMax = 3

/** The fixture gives an entry a short lifetime itself, and on a slow machine it may be too late to read it. */
async function runProbe(check: Check): Promise<Snapshot> {
  for (let tries = 1; ; tries += 1) {
    const run = await runFixture(check, fixture)
    if (run.status === 'completed' || tries === probeTriesMax) return run
  }
}

export const agentMemoryTtlExpiry: Scenario = {
  id: 'agentMemoryTtlExpiry',
  facts: 'memory 16.4',
  title: 'An expired entry is not listed, a living one is',
  async run(check) {
    needsLongTerm(check, fixture)
    const startedAt = Date.now()
    const { memoryList, freshId, expiredId } = expectCompleted(check, await runProbe(check))
    const listed = expectEntries(check, memoryList, 'memoryList')
    for (const { expiresAt } of listed) {
      // The list was made after the start of the run, so an entry that had ended before that must not be in it.
      if (expiresAt !== undefined) check.ok(Date.parse(expiresAt) > startedAt, 'a listed entry had already expired')
    }
    check.ok(typeof freshId === 'string' && freshId !== '', 'freshId is a non-empty string')
    check.ok(typeof expiredId === 'string' && expiredId !== '', 'expiredId is a non-empty string')
    check.ok(idsOf(listed).includes(String(freshId)), 'memoryList holds the living entry')
    check.ok(!idsOf(listed).includes(String(expiredId)), 'memoryList does not hold the expired entry')
  },
}
