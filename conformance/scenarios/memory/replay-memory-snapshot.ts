import { at, type Check, type JsonObject, pauseUntilAfter, type RunEventDoc, type Scenario } from '../../harness.ts'
import { expectBeforeTerminal, memoryIdsOf, readLog, writtenOf } from '../../memory/attribution.ts'
import { type Entry, expectEntries, idsOf } from '../../memory/entry.ts'
import { type Extension, openExtension } from '../../memory/extension.ts'
import { getNode, listNode, putNode, uniqueRef, workflow } from '../../memory/workflow.ts'

const shortLifeMs = 2_500
const readVariables = ['before', 'found', 'own', 'after']

type Source = {
  readonly runId: string
  readonly ref: string
  readonly variables: JsonObject
  readonly log: readonly RunEventDoc[]
}

async function runSource(check: Check, host: Extension): Promise<Source & { readonly doomed: Entry }> {
  const ref = uniqueRef('replay')
  const doomed = await host.put(ref, { content: 'read once and deleted later' })
  const lasting = await host.put(ref, { content: 'read and kept' })
  const runId = await host.start(
    workflow('replay', [
      listNode('list-before', { memoryRef: ref, into: 'before' }),
      getNode('get', { memoryRef: ref, id: doomed.id, into: 'found' }),
      putNode('put', { memoryRef: ref, content: 'written by the source', tags: ['source-run'], into: 'own' }),
      listNode('list-after', { memoryRef: ref, into: 'after' }),
    ]),
  )
  const variables = await host.finish(runId)
  check.equal(variables.before, [lasting, doomed], 'the source reads the ref')

  // Now memory becomes another one: an entry is deleted, one is added.
  check.equal(await host.remove(ref, doomed.id), true, 'an entry that the source read is deleted')
  await host.put(ref, { content: 'not readable at that time' })
  return { runId, ref, variables, doomed, log: await readLog(check, runId) }
}

/** Expiry binds replays too: an expired entry is not read again. */
async function expectNoReplayOfExpired(check: Check, host: Extension): Promise<void> {
  const ref = uniqueRef('replay-short')
  const expiresAt = new Date(Date.now() + shortLifeMs).toISOString()
  const runId = await check.before(expiresAt, async () => {
    const short = await host.put(ref, { content: 'read while it lived', expiresAt })
    const started = await host.start(workflow('replay-short', [listNode('list', { memoryRef: ref, into: 'short' })]))
    check.equal((await host.finish(started)).short, [short], 'the source reads the entry with a short life')
    return started
  })
  await pauseUntilAfter(expiresAt)
  const answer = await host.fork(runId, { mode: 'replay', fromSeq: 0 })
  check.refused(answer, [422], ['replay_memory_snapshot_unavailable'], 'a replay of what has expired since')
  check.equal(at(answer.body.details, 'cause'), 'expired', 'why what has expired is not replayed')
}

/** Recorded facts: what was written, under which id, at which instant. */
const factsOf = (log: readonly RunEventDoc[]) =>
  writtenOf(log).map(({ payload, timestamp, nodeId }) => ({ payload, timestamp, nodeId }))

async function expectReplay(check: Check, host: Extension, source: Source, fromRun: string, fromSeq: number) {
  const name = `replay from ${fromSeq}`
  const stored = await host.list(source.ref)
  const fork = await host.forked(fromRun, { mode: 'replay', fromSeq })
  for (const variable of readVariables) {
    check.equal(fork.variables[variable], source.variables[variable], `${name}: variable ${variable}`)
  }
  const log = await readLog(check, fork.runId)
  check.equal(factsOf(log), factsOf(source.log), `${name}: memory.written, as it was recorded`)
  expectBeforeTerminal(check, log)
  check.equal(await host.list(source.ref), stored, `${name}: what is stored, before and after`)
  const whatWasRead = async (runId: string) =>
    (await host.journal(runId)).reads.map(({ nodeId, op, memoryRef, entryIds }) => ({
      nodeId,
      op,
      memoryRef,
      entryIds,
    }))
  check.equal(await whatWasRead(fork.runId), await whatWasRead(source.runId), `${name}: the journal of reads`)
  return fork.runId
}

/** A branch from the start lives in the source's snapshot, but what it writes is its own. */
async function expectBranchFromStart(check: Check, host: Extension, source: Source): Promise<void> {
  const fork = await host.forked(source.runId, { mode: 'branch', fromSeq: 0 })
  check.equal(fork.variables.before, source.variables.before, 'a branch reads the memory of the source')
  check.equal(fork.variables.found, source.variables.found, 'a branch reads what was deleted since')
  const own = String(at(fork.variables.own, 'id'))
  check.ok(own !== at(source.variables.own, 'id'), 'a branch writes under a fresh id')
  const before = idsOf(expectEntries(check, source.variables.before, 'before'))
  check.equal(
    idsOf(expectEntries(check, fork.variables.after, 'after')),
    [own, ...before],
    'a branch and its own write',
  )
  check.ok(idsOf(await host.list(source.ref)).includes(own), 'what a branch writes is stored')
  const recorded = memoryIdsOf(writtenOf(source.log))
  const fresh = memoryIdsOf(writtenOf(await readLog(check, fork.runId)))
  check.ok(fresh.length > 0, 'a branch says what it wrote')
  check.equal(
    fresh.filter((id) => recorded.includes(id)),
    [],
    'ids that a branch from the start shares with the source',
  )
}

/** A branch after the source's write has that write in its history and does not make it again. */
async function expectBranchAfterWrite(check: Check, host: Extension, source: Source, fromSeq: number): Promise<void> {
  const stored = idsOf(await host.list(source.ref))
  const fork = await host.forked(source.runId, { mode: 'branch', fromSeq })
  check.equal(fork.variables.after, source.variables.after, 'a branch sees the write that its history holds')
  check.equal(idsOf(await host.list(source.ref)), stored, 'a branch does not repeat a write of its history')
}

async function expectBounds(check: Check, host: Extension, source: Source): Promise<void> {
  const last = Math.max(...source.log.map(({ sequence }) => sequence))
  for (const fromSeq of [last + 2, 999_999]) {
    const answer = await host.fork(source.runId, { mode: 'replay', fromSeq })
    check.refused(answer, [422], ['invalid_from_seq'], `a replay from ${fromSeq}, past the end of the log`)
  }
}

export const replayMemorySnapshot: Scenario = {
  id: 'replay-memory-snapshot',
  facts: 'memory 11.2, 11.3 (named by RFC 0039, never published)',
  title:
    'A replay reads and writes what the source did, although memory has changed since, and nothing that has expired; a branch writes its own',
  async run(check) {
    const host = await openExtension(check)
    const source = await runSource(check, host)
    const afterWrite = sequenceOfWrite(check, source.log) + 1
    const replayId = await expectReplay(check, host, source, source.runId, 0)
    await expectReplay(check, host, source, source.runId, afterWrite)
    await expectReplay(check, host, source, replayId, 0)
    await expectBranchFromStart(check, host, source)
    await expectBranchAfterWrite(check, host, source, afterWrite)
    await expectBounds(check, host, source)
    await expectNoReplayOfExpired(check, host)
    check.refused(await host.get(source.ref, source.doomed.id), [404], ['not_found'], 'the deleted entry stays deleted')
  },
}

/** The end of the writing node, so that a fork after it begins with the next one. */
function sequenceOfWrite(check: Check, log: readonly RunEventDoc[]): number {
  const done = log.find((event) => event.type === 'node.completed' && event.nodeId === 'put')
  check.ok(done !== undefined, 'the log records that the writing node completed')
  return done?.sequence ?? 0
}
