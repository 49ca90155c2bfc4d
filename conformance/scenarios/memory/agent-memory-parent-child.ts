import { at, type Check, pause, type Scenario } from '../../harness.ts'
import { memoryIdsOf, readLog, writtenOf } from '../../memory/attribution.ts'
import { type Entry, expectEntry, idsOf } from '../../memory/entry.ts'
import { type Extension, openExtension } from '../../memory/extension.ts'
import { expectJournal } from '../../memory/journal.ts'
import { childNode, gateNode, listNode, putNode, uniqueRef, workflow } from '../../memory/workflow.ts'
import { AssertionFailure } from '../../outcome.ts'

const watchEveryMs = 50
/** The one there before both, the parent's first and the outsider's. */
const entriesBeforeChild = 3

const childOf = (ref: string) =>
  workflow('family-child', [
    listNode('list', { memoryRef: ref, into: 'childSaw' }),
    putNode('put', { memoryRef: ref, content: 'from the child: {{inputs.word}}', into: 'childWrote' }),
    gateNode('child-gate'),
  ])

const parentOf = (ref: string, workflowId: string) => [
  listNode('list-before', { memoryRef: ref, into: 'before' }),
  putNode('put-first', { memoryRef: ref, content: 'from the parent, before the child', into: 'first' }),
  gateNode('gate'),
  childNode('child', {
    workflowId,
    inputMapping: { word: 'word' },
    outputMapping: { childSaw: 'childSaw', childWrote: 'childWrote' },
  }),
  listNode('list-after', { memoryRef: ref, into: 'after' }),
  putNode('put-last', { memoryRef: ref, content: 'from the parent, after the child', into: 'last' }),
  listNode('list-end', { memoryRef: ref, into: 'end' }),
]

/** While the child has written and still runs, its write is stored but not yet the parent's. */
async function expectNotYet(check: Check, host: Extension, ref: string, parentId: string): Promise<void> {
  const newest = await writtenByChild(check, host, ref)
  const childId = await host.writerOf(ref, newest.id)
  check.ok(childId !== parentId, 'the child writes in a run of its own')
  await host.untilGate(childId, 'child-gate')
  const seen = idsOf(await host.list(ref, `?runId=${parentId}`))
  check.ok(!seen.includes(newest.id), 'the parent does not see the write of a child that still runs')
  await host.passGate(childId, 'child-gate')
}

async function writtenByChild(check: Check, host: Extension, ref: string): Promise<Entry> {
  for (const deadline = Date.now() + check.patienceMs; Date.now() < deadline; await pause(watchEveryMs)) {
    const [newest, ...rest] = await host.list(ref)
    if (newest !== undefined && rest.length === entriesBeforeChild) return newest
  }
  throw new AssertionFailure('the child wrote nothing')
}

export const agentMemoryParentChild: Scenario = {
  id: 'agent-memory-parent-child',
  facts: 'memory 11.4 MAE-2',
  title:
    'A child shares the memory of its parent; the parent sees its writes once it has completed, and those of no other run',
  async run(check) {
    const host = await openExtension(check)
    const ref = uniqueRef('family')
    const base = await host.put(ref, { content: 'there before both' })
    const child = childOf(ref)
    await host.register(child)
    const nodes = parentOf(ref, child.id)
    const document = { ...workflow('family-parent', nodes), variables: [{ name: 'word', type: 'string' }] }
    const parentId = await host.start(document, { word: 'plum' })
    await host.untilGate(parentId, 'gate')
    const outside = await host.put(ref, { content: 'from another caller, meanwhile' })
    await host.passGate(parentId, 'gate')
    await expectNotYet(check, host, ref, parentId)

    const variables = await host.finish(parentId)
    const first = expectEntry(check, variables.first, 'first')
    const childWrote = expectEntry(check, variables.childWrote, 'childWrote')
    const childSaw = (variables.childSaw as Entry[]).map(({ id }) => id)
    check.equal(childWrote.content, 'from the child: plum', 'what the parent handed to the child')
    check.ok(childSaw.includes(base.id) && childSaw.includes(first.id), 'the child reads what the parent wrote before')
    check.equal(variables.before, [base], 'the parent, before the child')
    check.equal(variables.after, [childWrote, first, base], 'the parent, after the child completed')
    check.equal(variables.end, [variables.last, childWrote, first, base], 'the parent, after its own last write')
    check.ok(!JSON.stringify(variables.end).includes(outside.id), 'the parent does not see what others wrote meanwhile')
    expectJournal(check, await host.journal(parentId), nodes, variables)

    const written = memoryIdsOf(writtenOf(await readLog(check, parentId)))
    check.ok(written.includes(first.id), 'the log of the parent records its own write')
    check.ok(written.includes(String(at(variables.last, 'id'))), 'and its last one')
    check.ok(!written.includes(childWrote.id), 'the write of the child stands in the log of the child')
  },
}
