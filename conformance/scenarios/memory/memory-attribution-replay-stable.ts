import type { Scenario } from '../../harness.ts'
import {
  expectBeforeTerminal,
  memoryIdsOf,
  needsWriteEvents,
  readLog,
  seedWritingRun,
  writtenOf,
} from '../../memory/attribution.ts'

export const memoryAttributionReplayStable: Scenario = {
  id: 'memory-attribution-replay-stable',
  facts: 'memory 16.10, 11.2',
  title: 'A replay repeats the recorded writes: every one of them, and no new one',
  async run(check) {
    needsWriteEvents(check)
    const source = await seedWritingRun(check)
    const fork = await check.http('POST', `/v1/runs/${source.runId}:fork`, { body: { fromSeq: 0, mode: 'replay' } })
    if (fork.status !== 200 && fork.status !== 201)
      check.inapplicable(`the host answers a replay fork with ${fork.status}`)
    const forkId = String(fork.body.runId)
    await check.waitFor(forkId)
    const log = await readLog(check, forkId)
    const recorded = memoryIdsOf(source.written)
    const repeated = memoryIdsOf(writtenOf(log))
    check.equal(
      recorded.filter((id) => !repeated.includes(id)),
      [],
      'recorded writes that the replay left out',
    )
    check.equal(
      repeated.filter((id) => !recorded.includes(id)),
      [],
      'writes of the replay that the source never made',
    )
    check.equal(repeated, recorded, 'the writes in their order, each once')
    expectBeforeTerminal(check, log)
  },
}
