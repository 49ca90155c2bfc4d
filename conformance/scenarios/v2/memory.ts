// Version 2: what the memory family promises.
import { asArray, at } from '../../harness.ts'
import { isEnded, scenarioV2, segmentOf } from '../../v2.ts'

const facts = 'v2 11, 14'
const idsIn = (value: unknown) => asArray(value).map((entry) => String(at(entry, 'id')))

export const scenarios = [
  scenarioV2(
    'v2-memory-cross-tenant-isolation',
    facts,
    'A tenant sees its own memory and no other',
    async (check, v2) => {
      v2.needs('memory')
      if (check.target.keyB === null) check.blocked('no key of a second tenant was given')
      const probe = async (auth: string) => {
        const runId = await v2.completedRun({ workflowId: 'conformance-agent-memory-cross-tenant' }, { auth })
        return (await v2.snapshot(runId, { auth })).variables as Record<string, unknown>
      }
      const [a, b] = [await probe('key'), await probe('keyB')]
      check.ok(idsIn(a.ownerProbe).includes(String(a.ownerEntryId)), 'the owner sees its entry')
      check.ok(a.ownerEntryId !== b.ownerEntryId, 'each tenant has its own entry')
      check.ok(!idsIn(b.ownerProbe).includes(String(a.ownerEntryId)), 'the other tenant does not see it')
      for (const { crossTenantProbe } of [a, b])
        check.ok(
          crossTenantProbe === null || asArray(crossTenantProbe).length === 0,
          'the probe of another tenant is empty',
        )
    },
  ),

  scenarioV2(
    'v2-memory-attribution-replay-stable',
    facts,
    'A replay repeats the recorded writes',
    async (check, v2) => {
      if (at(v2.needs('memory'), 'attribution', 'emitsWriteEvents') !== true)
        check.inapplicable('writes are not attributed')
      const source = await v2.completedRun({ workflowId: 'conformance-agent-memory-roundtrip' })
      const written = async (runId: string) =>
        (await v2.events(runId)).flatMap(({ type, payload }) =>
          type === 'memory.written' ? [at(payload, 'memoryId')] : [],
        )
      const recorded = await written(source)
      check.ok(recorded.length > 0, 'the run has memory.written')
      const forked = await v2.http('POST', `/runs/${segmentOf(source)}:fork`, { body: { fromSeq: 0, mode: 'replay' } })
      check.equal(forked.status, 201, 'a replay')
      const runId = String(forked.body.runId)
      await v2.waitFor(runId, isEnded)
      check.equal(await written(runId), recorded, 'the writes of the replay')
    },
  ),
]
