import { at, type Check, pause, pauseUntilAfter, type Scenario } from '../../harness.ts'
import { expectEntries, expectEntry } from '../../memory/entry.ts'
import { type Extension, openExtension } from '../../memory/extension.ts'
import { childNode, gateNode, listNode, putNode, uniqueRef, workflow } from '../../memory/workflow.ts'

const lifeMs = 4_000
/** How long after its parent the child begins. */
const headStartMs = 500

const lister = (ref: string) => workflow('cross-run-reader', [listNode('list', { memoryRef: ref, into: 'seen' })])

const readInNewRun = async (host: Extension, ref: string): Promise<unknown> =>
  (await host.finish(await host.start(lister(ref)))).seen

/** A child that writes long after its parent began; the parent reads the entry at once, and again after its expiry. */
async function startFamily(host: Extension, ref: string, expiresAt: string): Promise<string> {
  const child = workflow('cross-run-child', [
    putNode('put', { memoryRef: ref, content: 'from the child', expiresAt: '{{inputs.expiresAt}}', into: 'written' }),
  ])
  await host.register(child)
  const parent = workflow('cross-run-parent', [
    gateNode('head-start'),
    childNode('child', {
      workflowId: child.id,
      inputMapping: { expiresAt: 'expiresAt' },
      outputMapping: { written: 'written' },
    }),
    listNode('list-living', { memoryRef: ref, into: 'living' }),
    gateNode('outlive'),
    listNode('list-expired', { memoryRef: ref, into: 'expired' }),
  ])
  return host.start({ ...parent, variables: [{ name: 'expiresAt', type: 'string' }] }, { expiresAt })
}

async function expectAnchoredAtWrite(check: Check, host: Extension, ref: string): Promise<void> {
  const expiresAt = new Date(Date.now() + lifeMs).toISOString()
  const { runId, letGoAt } = await check.before(expiresAt, async () => {
    const started = await startFamily(host, ref, expiresAt)
    await host.untilGate(started, 'head-start')
    await pause(headStartMs)
    const now = Date.now()
    await host.passGate(started, 'head-start')
    await host.untilGate(started, 'outlive')
    return { runId: started, letGoAt: now }
  })
  await pauseUntilAfter(expiresAt)
  await host.passGate(runId, 'outlive')
  const { written, living, expired } = await host.finish(runId)
  const entry = expectEntry(check, written, 'what the child wrote')
  // Clocks may differ a little, but not by the head start.
  check.ok(Date.parse(entry.createdAt) > letGoAt - headStartMs / 2, 'createdAt is when the child wrote')
  check.equal(entry.expiresAt, expiresAt, 'expiresAt, neither cut to the life of the parent nor extended')
  check.equal(living, [entry], 'the parent, while the entry lived')
  check.equal(expired, [], 'the parent, after the entry had expired')
}

export const agentMemoryCrossRunTtl: Scenario = {
  id: 'agent-memory-cross-run-ttl',
  facts: 'memory 5 MAE-2 (named by RFC 0039, never published)',
  title: 'The life of an entry is counted from its write, in later runs and across parent and child',
  async run(check) {
    const host = await openExtension(check)
    const ref = uniqueRef('cross-run-ttl')
    const expiresAt = new Date(Date.now() + lifeMs).toISOString()
    await check.before(expiresAt, async () => {
      const node = putNode('put', { memoryRef: ref, content: 'for runs to come', expiresAt, into: 'written' })
      const { written } = await host.finish(await host.start(workflow('cross-run-writer', [node])))
      check.equal(at(written, 'expiresAt'), expiresAt, 'expiresAt of what the first run wrote')
      const [seen] = expectEntries(check, await readInNewRun(host, ref), 'a second run, while the entry lives')
      check.equal(seen, written, 'the second run reads what the first one wrote')
    })

    await expectAnchoredAtWrite(check, host, uniqueRef('cross-run-family'))
    await pauseUntilAfter(expiresAt)
    check.equal(await readInNewRun(host, ref), [], 'a third run, after the entry expired')
  },
}
