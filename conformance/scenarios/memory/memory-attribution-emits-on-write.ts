import { at, type Check, type Scenario } from '../../harness.ts'
import {
  claimsWriteEvents,
  expectBeforeTerminal,
  memoryIdsOf,
  readLog,
  seedRun,
  seedWritingRun,
  writtenOf,
} from '../../memory/attribution.ts'
import { hasExtension, openExtension } from '../../memory/extension.ts'
import { expectCompleted, hasLongTerm, runFixture } from '../../memory/long-term.ts'
import { putNode, uniqueRef, workflow } from '../../memory/workflow.ts'

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

/** Two nodes that write, one that writes to its scratchpad, and the memory of the session: four writes, four events. */
async function expectWhatEventsName(check: Check): Promise<void> {
  if (!(await hasExtension(check))) return
  const host = await openExtension(check)
  const ref = uniqueRef('attribution')
  const runId = await host.start(
    workflow('attribution', [
      putNode('first', { memoryRef: ref, content: 'the first of two', into: 'first' }),
      putNode('second', { memoryRef: ref, content: 'the second of two', into: 'second' }),
      putNode('notes', { memoryRef: 'scratch:', content: 'a note', into: 'note' }),
    ]),
  )
  const { first, second, note } = await host.finish(runId)
  const written = writtenOf(await readLog(check, runId))
  const ofNodes = written.filter(({ payload }) => at(payload, 'nodeId') !== undefined)
  check.equal(
    ofNodes.map(({ payload }) => [at(payload, 'nodeId'), at(payload, 'memoryId')]),
    [
      ['first', at(first, 'id')],
      ['second', at(second, 'id')],
      ['notes', at(note, 'id')],
    ],
    'each write of a node is one event that names the node and the entry, in their order',
  )
  check.equal(written.length, ofNodes.length + 1, 'the memory of the session is one write more, and names no node')
  for (const entry of [first, second]) {
    const event = ofNodes.find(({ payload }) => at(payload, 'memoryId') === at(entry, 'id'))
    const got = await host.get(String(at(event?.payload, 'memoryRef')), String(at(event?.payload, 'memoryId')))
    check.equal(got.json, entry, 'what memory.written names is got by it')
  }
  for (const mode of ['', '?streamMode=updates', '?streamMode=debug']) {
    const { frames } = await check.sse(`/v1/runs/${runId}/events${mode}`)
    const ids = frames
      .filter(({ event }) => event === 'memory.written')
      .map(({ data }) => at(data, 'payload', 'memoryId'))
    check.equal(ids, memoryIdsOf(written), `memory.written in the stream ${mode || 'without a mode'}`)
  }
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
  async run(check) {
    if (!claimsWriteEvents(check)) return expectSilence(check)
    await expectEveryWrite(check)
    await expectWhatEventsName(check)
  },
}
