// Commitments: they fire once, without their text in the event, and a fork makes none.
import { asArray, at, type Check, pause } from '../../harness.ts'
import { extensionPath, openExtension } from '../../memory/extension.ts'
import { putNode, unique, uniqueRef, workflow } from '../../memory/workflow.ts'
import { scenario } from '../../support.ts'

const facts = 'memory 10.5, 13.3, 16.23; agents 4, 20'
const memoryRef = 'mem://conformance/commitments'
const conditions = ['time', 'predicate'] as const

function advertised(check: Check): readonly unknown[] {
  if (at(check.discovery, 'agents', 'commitments', 'supported') !== true)
    check.inapplicable('agents.commitments is not advertised')
  return asArray(at(check.discovery, 'agents', 'commitments', 'fireConditions') ?? ['time'])
}

async function expectFired(check: Check, condition: (typeof conditions)[number]): Promise<void> {
  if (!advertised(check).includes(condition)) check.inapplicable(`agents.commitments does not fire by ${condition}`)
  const body = { memoryRef, condition, includeIntentionCanary: true }
  const answer = await check.http('POST', '/v1/host/sample/commitment/fire', { body })
  if ([404, 501].includes(answer.status)) check.blocked('the seam commitment/fire is not served')
  check.equal(answer.status, 200, 'POST of commitment/fire')
  const { event, fireCount, intentionCanary } = answer.body
  check.ok(typeof at(event, 'commitmentId') === 'string' && at(event, 'commitmentId') !== '', 'event.commitmentId')
  check.equal(at(event, 'memoryRef'), memoryRef, 'event.memoryRef')
  check.equal(at(event, 'condition'), condition, 'event.condition')
  check.ok(typeof intentionCanary === 'string', 'the seam shows the canary of the intention')
  check.ok(!JSON.stringify(event).includes(String(intentionCanary)), 'the event has no text of the intention')
  check.equal(fireCount, 1, 'fireCount')
}

/** The commitments of a ref, once there are any. */
async function listed(check: Check, ref: string): Promise<readonly unknown[]> {
  for (let waitedMs = 0; ; waitedMs += 50) {
    const answer = await check.http('GET', `${extensionPath('commitments')}?memoryRef=${encodeURIComponent(ref)}`)
    if (answer.status === 404) check.blocked('commitments cannot be listed')
    const found = asArray(answer.body.commitments)
    if (found.length > 0 || waitedMs > 10_000) return found
    await pause(50)
  }
}

export const commitmentScenarios = [
  scenario('commitment-shape', facts, 'The conditions of commitments are known ones', async (check) => {
    const named = advertised(check)
    check.ok(new Set(named).size === named.length, 'fireConditions are unique')
    for (const name of named) check.ok((conditions as readonly unknown[]).includes(name), 'fireConditions are known')
  }),
  scenario('commitment-fired', facts, 'A met condition fires once, without the intention', (check) =>
    expectFired(check, 'predicate'),
  ),
  scenario('commitment-fired-time', facts, 'An instant fires once, without the intention', (check) =>
    expectFired(check, 'time'),
  ),
  scenario('commitment-fork', facts, 'A replay of a run that wrote a reminder makes no second one', async (check) => {
    advertised(check)
    const host = await openExtension(check)
    const ref = uniqueRef('commitments')
    const content = `Remind me tomorrow to greet ${unique('visitor')}.`
    const runId = await host.start(workflow('commitment', [putNode('put', { memoryRef: ref, content })]))
    await host.finish(runId)
    const before = await listed(check, ref)
    check.equal(before.length, 1, 'commitments of the entry')
    await host.forked(runId, { mode: 'replay', fromSeq: 0 })
    const after = await listed(check, ref)
    check.equal(after, before, 'commitments after a replay')
  }),
]
