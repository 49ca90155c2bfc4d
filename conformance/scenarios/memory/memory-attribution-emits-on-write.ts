import { at, type Check, type Scenario } from '../../harness.ts'
import {
  claimsWriteEvents,
  expectBeforeTerminal,
  readLog,
  seedRun,
  seedWritingRun,
  writtenOf,
} from '../../memory/attribution.ts'
import { expectCompleted, hasLongTerm, runFixture } from '../../memory/long-term.ts'

const writingFixture = 'conformance-agent-memory-roundtrip'
const writingRef = 'conformance/agent-memory-roundtrip'

const canWriteKnowingly = (check: Check): boolean => hasLongTerm(check) && check.hasFixture(writingFixture)

/** A run that certainly wrote, and the id of what it wrote. */
async function runKnownWriter(check: Check) {
  const run = await runFixture(check, writingFixture)
  const memoryId = at(expectCompleted(check, run).memoryReadback, 'id')
  const log = await readLog(check, run.runId)
  return { memoryId, log, written: writtenOf(log) }
}

async function expectEveryWrite(check: Check): Promise<void> {
  const seeded = await seedWritingRun(check)
  expectBeforeTerminal(check, seeded.log)
  for (const event of seeded.written) {
    const memoryId = at(event.payload, 'memoryId')
    check.ok(typeof memoryId === 'string' && memoryId !== '', 'memory.written names the entry')
    check.publishedEvent(event)
  }
  if (!canWriteKnowingly(check)) return
  const { memoryId, written } = await runKnownWriter(check)
  const events = written.filter(({ payload }) => at(payload, 'memoryId') === memoryId)
  check.equal(events.length, 1, 'memory.written events for the one entry the node wrote')
  check.equal(at(events[0]?.payload, 'memoryRef'), writingRef, 'memory.written names the ref that was written')
  const nodeId = at(events[0]?.payload, 'nodeId')
  check.oneOf(nodeId, ['memory-roundtrip', undefined], 'memory.written names no other node than the writing one')
}

async function expectSilence(check: Check): Promise<void> {
  check.equal((await seedRun(check)).written.length, 0, 'memory.written events on a host that does not claim them')
  if (!canWriteKnowingly(check)) return
  check.equal((await runKnownWriter(check)).written.length, 0, 'memory.written events of a run that wrote')
}

export const memoryAttributionEmitsOnWrite: Scenario = {
  id: 'memory-attribution-emits-on-write',
  facts: 'memory 16.7',
  title: 'Every write of a run is an event where that is claimed, and none is where it is not',
  run: (check) => (claimsWriteEvents(check) ? expectEveryWrite(check) : expectSilence(check)),
}
