import { at, type Check, type JsonObject, pauseUntilAfter, type Scenario } from '../../harness.ts'
import { type Entry, expectEntries, idsOf } from '../../memory/entry.ts'
import { type Extension, openExtension } from '../../memory/extension.ts'
import { expectJournal } from '../../memory/journal.ts'
import { deleteNode, gateNode, getNode, listNode, putNode, uniqueRef, workflow } from '../../memory/workflow.ts'

const shortLifeMs = 2_500

type Setting = {
  readonly ref: string
  readonly shortRef: string
  readonly kept: Entry
  readonly doomed: Entry
  readonly short: Entry
}

async function remember(host: Extension, expiresAt: string): Promise<Setting> {
  const ref = uniqueRef('snapshot')
  const shortRef = uniqueRef('snapshot-short')
  const kept = await host.put(ref, { content: 'kept from the start' })
  const doomed = await host.put(ref, { content: 'deleted by another caller while the run waits' })
  return { ref, shortRef, kept, doomed, short: await host.put(shortRef, { content: 'short of life', expiresAt }) }
}

const readTwice = ({ ref, shortRef, kept, doomed }: Setting) => [
  listNode('list-before', { memoryRef: ref, into: 'before' }),
  getNode('get-before', { memoryRef: ref, id: doomed.id, into: 'doomedBefore' }),
  listNode('short-before', { memoryRef: shortRef, into: 'shortBefore' }),
  gateNode('gate'),
  listNode('list-after', { memoryRef: ref, into: 'after' }),
  getNode('get-after', { memoryRef: ref, id: doomed.id, into: 'doomedAfter' }),
  listNode('short-after', { memoryRef: shortRef, into: 'shortAfter' }),
  putNode('put-own', { memoryRef: ref, content: 'written by the run itself', tags: ['own'], into: 'own' }),
  listNode('list-own', { memoryRef: ref, into: 'withOwn' }),
  getNode('get-own', { memoryRef: ref, id: '{{variables.own.id}}', into: 'ownAgain' }),
  deleteNode('delete-kept', { memoryRef: ref, id: kept.id, into: 'deleted' }),
  listNode('list-deleted', { memoryRef: ref, into: 'afterDelete' }),
  getNode('get-deleted', { memoryRef: ref, id: kept.id, into: 'keptAfterDelete' }),
]

async function runUntilGate(host: Extension, expiresAt: string) {
  const setting = await remember(host, expiresAt)
  const nodes = readTwice(setting)
  const runId = await host.start(workflow('snapshot', nodes))
  await host.untilGate(runId, 'gate')
  return { setting, nodes, runId }
}

/** What other callers do to memory while the run waits at its gate. */
async function disturb(check: Check, host: Extension, setting: Setting, runId: string): Promise<Entry> {
  const { ref, doomed, short } = setting
  const late = await host.put(ref, { content: 'written by another caller while the run waits' })
  check.equal(await host.remove(ref, doomed.id), true, 'another caller deletes an entry of the snapshot')
  check.equal(idsOf(await host.list(ref)), [late.id, setting.kept.id], 'what other callers see now')
  check.equal(idsOf(await host.list(ref, `?runId=${runId}`)), [doomed.id, setting.kept.id], 'what the run would see')
  const lateInRun = await host.get(ref, late.id, `?runId=${runId}`)
  check.refused(lateInRun, [404], ['not_found'], 'a later entry through the snapshot of the run')
  await pauseUntilAfter(String(short.expiresAt))
  return late
}

function expectSnapshot(check: Check, variables: JsonObject, { kept, doomed, short }: Setting): string {
  const before = expectEntries(check, variables.before, 'the first list')
  check.equal(idsOf(before), [doomed.id, kept.id], 'the first list, newest first')
  check.equal(variables.after, variables.before, 'the second list, after others changed the ref')
  check.equal(variables.doomedBefore, doomed, 'the first get')
  check.equal(variables.doomedAfter, doomed, 'the second get, after another caller deleted the entry')
  check.equal(variables.shortBefore, [short], 'the entry with a short life, while it lived')
  check.equal(variables.shortAfter, [], 'the same list once it had expired')

  const own = String(at(variables.own, 'id'))
  check.equal(variables.withOwn, [variables.own, ...before], 'the snapshot and the own write, newest first')
  check.equal(variables.ownAgain, variables.own, 'the own write, read by its id')
  check.equal(variables.deleted, true, 'the own delete')
  check.equal(variables.afterDelete, variables.withOwn, 'the list after the own delete')
  check.equal(variables.keptAfterDelete, kept, 'the deleted entry, read by its id')
  return own
}

export const memoryListSnapshot: Scenario = {
  id: 'memory-list-snapshot',
  facts: 'memory 3.1 (named by RFC 0004, never published)',
  title: 'A run reads the memory of its start and its own writes, whatever others do meanwhile',
  async run(check) {
    const host = await openExtension(check)
    const expiresAt = new Date(Date.now() + shortLifeMs).toISOString()
    const { setting, nodes, runId } = await check.before(expiresAt, () => runUntilGate(host, expiresAt))
    const late = await disturb(check, host, setting, runId)
    await host.passGate(runId, 'gate')
    const variables = await host.finish(runId)
    const own = expectSnapshot(check, variables, setting)

    check.equal(idsOf(await host.list(setting.ref)), [own, late.id], 'what is left for later runs')
    const seenThroughRun = idsOf(await host.list(setting.ref, `?runId=${runId}`))
    check.equal(seenThroughRun, [own, setting.doomed.id, setting.kept.id], 'the ref through the finished run')
    const next = await host.start(
      workflow('snapshot-next', [listNode('list', { memoryRef: setting.ref, into: 'all' })]),
    )
    check.equal(idsOf(expectEntries(check, (await host.finish(next)).all, 'next run')), [own, late.id], 'the next run')

    const journal = await host.journal(runId)
    expectJournal(check, journal, nodes, variables)
    const text = JSON.stringify(journal)
    for (const { content } of [setting.kept, setting.doomed, setting.short, late]) {
      check.absent(text, content, 'the journal of reads holds the text of an entry')
    }
  },
}
