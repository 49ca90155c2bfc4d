import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import {
  continueRun,
  openUseCases,
  putChain,
  startRun,
  tenantId,
  type UseCaseWorld,
} from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { isColophonError } from '../../core/errors.ts'
import { createNodeRegistry } from '../../nodes/registry.ts'
import { put } from '../entries/put.ts'
import { list } from '../entries/read.ts'
import { writeSettings } from '../redaction/rules.ts'
import { cancelRun } from './control.ts'
import { forkRun } from './fork-run.ts'
import type { NodeType } from './node-type.ts'
import { viewOfRun } from './run-snapshot.ts'

const reads = { id: 'read', typeId: 'colophon.memory.list', config: { memoryRef: 'notes', into: 'found' } }
const writes = { id: 'write', typeId: 'colophon.memory.put', config: { memoryRef: 'notes', content: 'by the run' } }
const delay = { id: 'wait', typeId: 'core.delay', config: { delayMs: 60_000 } }

/** A run that read one entry, wrote one, and has ended. */
async function openEnded() {
  const world = openUseCases(openInMemoryStore)
  await put(world.tenant, 'notes', { content: 'before' })
  await putChain(world, 'visit', [reads, writes], { variables: [{ name: 'found', type: 'array' }] })
  const source = await startRun(world, { workflowId: 'visit', tags: ['a'], metadata: { kept: 1, changed: 1 } })
  assert.equal(source.status, 'completed')
  return { ...world, source }
}

const contents = async ({ tenant }: UseCaseWorld, options = {}) =>
  (await list(tenant, 'notes', options)).entries.map(({ content }) => content)
const eventsOf = async ({ engine }: UseCaseWorld, runId: string) =>
  (await engine.storage.runs.events({ tenantId, runId, from: 0, limit: 100 })).map(({ type, nodeId }) => [type, nodeId])

test('a replay repeats the log of its source on the old snapshot and writes nothing', async () => {
  await using world = await openEnded()
  const { engine, source } = world
  await put(engine.tenant(tenantId), 'notes', { content: 'after' })
  const { run, mode, fromSeq } = await forkRun(engine.tenant(tenantId), source.runId, { mode: 'replay' })
  assert.deepEqual([mode, fromSeq, run.snapshot], ['replay', 0, source.snapshot])
  const replay = await continueRun(world, run)
  assert.equal(replay.status, 'completed')
  assert.deepEqual(await eventsOf(world, replay.runId), await eventsOf(world, source.runId))
  assert.deepEqual(replay.text.variables, source.text.variables)
  assert.deepEqual(await contents(world), ['after', 'by the run', 'before'])
})

test('a branch takes over the events before fromSeq and continues on its own', async () => {
  await using world = await openEnded()
  const { engine, source } = world
  const events = await eventsOf(world, source.runId)
  const fromSeq = events.findIndex(([type, nodeId]) => type === 'node.completed' && nodeId === 'read') + 1
  const { run } = await forkRun(engine.tenant(tenantId), source.runId, { mode: 'branch', fromSeq })
  assert.equal(run.nextSequence, fromSeq)
  assert.deepEqual(await eventsOf(world, run.runId), events.slice(0, fromSeq))
  const branch = await continueRun(world, run)
  assert.equal(branch.status, 'completed')
  assert.deepEqual(await contents(world), ['by the run', 'by the run', 'before'])
  // The source wrote its entry after this point, so the branch sees its own only.
  const view = await viewOfRun(engine.tenant(tenantId), branch.runId)
  assert.deepEqual(await contents(world, { run: view }), ['by the run', 'before'])
})

test('the overlay of a branch changes tags as a whole and metadata by name', async () => {
  await using world = await openEnded()
  const { engine, source } = world
  const forkWith = async (runOptionsOverlay: object) =>
    (await forkRun(engine.tenant(tenantId), source.runId, { mode: 'branch', fromSeq: 0, runOptionsOverlay })).run.text
  const plain = await forkWith({})
  assert.deepEqual([plain.tags, plain.metadata], [['a'], { kept: 1, changed: 1 }])
  const overlaid = await forkWith({ tags: [], metadata: { changed: 2 }, configurable: { recursionLimit: 5 } })
  assert.deepEqual([overlaid.tags, overlaid.metadata], [[], { kept: 1, changed: 2 }])
  assert.deepEqual(overlaid.configurable, { recursionLimit: 5 })
  await rejectsWith('validation_error', forkWith({ configurable: { temperature: 3 } }))
})

test('a fork of an unknown run, or of a run of another tenant, is not found', async () => {
  await using world = await openEnded()
  const { engine, source } = world
  await rejectsWith('not_found', forkRun(engine.tenant(tenantId), 'run_unknown', { mode: 'replay' }))
  await rejectsWith('not_found', forkRun(engine.tenant('globex'), source.runId, { mode: 'replay' }))
})

test('a fork refuses a sequence that the run does not have, and names its last', async () => {
  await using world = await openEnded()
  const { engine, source } = world
  const beyond = forkRun(engine.tenant(tenantId), source.runId, {
    mode: 'branch',
    fromSeq: source.nextSequence + 1,
  })
  await assert.rejects(beyond, (error) => {
    assert.ok(isColophonError(error, 'invalid_from_seq'))
    assert.equal(error.details.lastSequence, source.nextSequence - 1)
    return true
  })
})

test('an active run can be branched and not replayed', async () => {
  await using world = openUseCases(openInMemoryStore)
  await putChain(world, 'waiting', [delay])
  const { runId } = await startRun(world, { workflowId: 'waiting' })
  await rejectsWith('run_state', forkRun(world.tenant, runId, { mode: 'replay' }))
  assert.equal((await forkRun(world.tenant, runId, { mode: 'branch', fromSeq: 0 })).mode, 'branch')
})

test('the replay of a cancelled run is cancelled, with a failed node for the effect that its source never had', async () => {
  for (const [nodes, refused] of [
    [[delay], []],
    [[delay, reads], []],
    [[reads, delay, writes], [['node.failed', 'write']]],
  ] as const) {
    await using world = openUseCases(openInMemoryStore)
    await putChain(world, 'waiting', nodes)
    const { runId } = await startRun(world, { workflowId: 'waiting' })
    const { run: source } = await cancelRun(world.tenant, runId, 'enough')
    const log = await eventsOf(world, runId)
    const expected = [...log.slice(0, -2), ...refused, ...log.slice(-2)]
    // The replay of a replay is the same again.
    let replayed = runId
    for (const _ of [1, 2]) {
      const { run } = await forkRun(world.tenant, replayed, { mode: 'replay' })
      const replay = await continueRun(world, run)
      assert.deepEqual([replay.status, replay.text.error], ['cancelled', null])
      assert.deepEqual(await eventsOf(world, replay.runId), expected)
      assert.equal(replay.facts.nodes.wait?.status, source.facts.nodes.wait?.status)
      replayed = replay.runId
    }
    assert.deepEqual(await contents(world), [])
  }
})

test('a node type without a replay role is not executed in a replay', async () => {
  let executed = 0
  const calls = { typeId: 'acme.calls', execute: async () => ({ kind: 'completed', outputs: { n: ++executed } }) }
  const nodes = createNodeRegistry(calls as unknown as NodeType)
  await using world = openUseCases(openInMemoryStore, { host: { nodes } })
  await putChain(world, 'calls', [{ id: 'call', typeId: 'acme.calls' }])
  const { runId } = await startRun(world, { workflowId: 'calls' })
  const { run } = await forkRun(world.tenant, runId, { mode: 'replay' })
  const replay = await continueRun(world, run)
  assert.deepEqual([replay.status, replay.text.error?.code, executed], ['failed', 'replay_source_missing', 1])
})

test('a fork is refused when a version that its source read is no longer stored', async () => {
  const reasonOf = async (prepare: (world: Awaited<ReturnType<typeof openEnded>>) => Promise<object>, fromSeq = 0) => {
    await using world = await openEnded()
    const engine = { ...world.engine, ...(await prepare(world)) }
    const draft = fromSeq === 0 ? ({ mode: 'replay' } as const) : ({ mode: 'branch', fromSeq } as const)
    const error = await forkRun(engine.tenant(tenantId), world.source.runId, draft).catch((thrown: unknown) => thrown)
    return isColophonError(error, 'replay_memory_snapshot_unavailable') ? error.details.reason : 'kept'
  }
  assert.equal(
    await reasonOf(async ({ engine, source }) => {
      const historyFrom = source.snapshot.position + 1
      await engine.tenant(tenantId).commit({ kind: 'history.begins', historyFrom }, { call: { operation: 'test' } })
      return {}
    }),
    'retention_expired',
  )
  const withoutVersions = async ({ engine }: UseCaseWorld) => ({
    storage: { ...engine.storage, versions: async () => [] },
  })
  assert.equal(await reasonOf(withoutVersions), 'retention_expired')
  // A branch that begins before the first read needs nothing of it.
  assert.equal(await reasonOf(withoutVersions, 1), 'kept')
  const withoutLog = async ({ engine }: UseCaseWorld) => ({
    storage: { ...engine.storage, runs: { ...engine.storage.runs, events: async () => [] } },
  })
  assert.equal(await reasonOf(withoutLog), 'event_log_unavailable')
  assert.equal(await reasonOf(async () => ({})), 'kept')
})

test('a repeat of a fork with its idempotency key gives the first fork', async () => {
  await using world = await openEnded()
  const call = (fromSeq: number) =>
    forkRun(world.tenant, world.source.runId, { mode: 'branch', fromSeq }, { idempotencyKey: 'f1' })
  const [first, repeat] = [await call(0), await call(0)]
  assert.deepEqual([first.repeated, repeat.repeated, repeat.run.runId], [false, true, first.run.runId])
  await rejectsWith('idempotency_key_mismatch', call(1))
})

test('a maintenance run cannot be forked', async () => {
  await using world = await openEnded()
  const { engine } = world
  const { storage } = engine
  const get: typeof storage.runs.get = async (...query) => {
    const run = await storage.runs.get(...query)
    return run && { ...run, workflowId: 'colophon.maintenance' }
  }
  const maintained = { ...engine, storage: { ...storage, runs: { ...storage.runs, get } } }
  await rejectsWith('run_state', forkRun(maintained.tenant(tenantId), world.source.runId, { mode: 'replay' }))
})

const brief = (expiresAt: string) => ({ memoryRef: 'notes', content: 'brief', expiresAt })
const inAMinute = ({ clock }: UseCaseWorld) => new Date(clock.now + 60_000).toISOString()
const causeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'forked',
    (error: unknown) => {
      assert.ok(isColophonError(error, 'replay_memory_snapshot_unavailable'), String(error))
      const { reason, cause, sourceRunId, fromSeq } = error.details ?? {}
      assert.ok(typeof sourceRunId === 'string' && typeof fromSeq === 'number')
      return `${reason} ${cause}`
    },
  )

test('a fork of a run that read an entry which has expired since is refused, unless the tenant allows it', async () => {
  await using world = openUseCases(openInMemoryStore)
  await put(world.tenant, 'notes', { content: 'brief', expiresAt: inAMinute(world) })
  await putChain(world, 'visit', [reads, { id: 'last', typeId: 'core.noop' }])
  const source = await startRun(world, { workflowId: 'visit' })
  const fork = async (mode: 'replay' | 'branch', fromSeq?: number) =>
    causeOf(forkRun(world.tenant, source.runId, { mode, fromSeq }))
  const events = await eventsOf(world, source.runId)
  const afterRead = events.findIndex(([type, nodeId]) => type === 'node.completed' && nodeId === 'read') + 1
  world.clock.advance(59_999)
  assert.deepEqual([await fork('replay'), await fork('branch', afterRead)], ['forked', 'forked'])
  const { run: late } = await forkRun(world.tenant, source.runId, { mode: 'replay' })
  world.clock.advance(1)
  const refused = 'retention_expired expired'
  assert.deepEqual([await fork('replay'), await fork('branch', afterRead)], [refused, refused])
  assert.equal(await fork('branch', 0), 'forked', 'before the read there is nothing to return')
  const failed = await continueRun(world, late)
  assert.deepEqual([failed.status, failed.text.error?.code], ['failed', 'replay_memory_snapshot_unavailable'])
  assert.deepEqual(failed.text.variables, {})
  await writeSettings(world.tenant, { replayExpired: 'allow' })
  const { run } = await forkRun(world.tenant, source.runId, { mode: 'replay' })
  assert.deepEqual((await continueRun(world, run)).text.variables, source.text.variables)
  await writeSettings(world.tenant, { replayExpired: 'refuse' })
  assert.equal(await fork('replay'), refused)
})

test('an entry that a run wrote and that has expired is not returned by a replay; a put that returns none is repeated', async () => {
  for (const [into, expected] of [
    [{ into: 'wrote' }, 'retention_expired expired'],
    [{}, 'forked'],
  ] as const) {
    await using world = openUseCases(openInMemoryStore)
    const node = { id: 'write', typeId: 'colophon.memory.put', config: { ...brief(inAMinute(world)), ...into } }
    await putChain(world, 'visit', [node])
    const source = await startRun(world, { workflowId: 'visit' })
    world.clock.advance(60_000)
    assert.equal(await causeOf(forkRun(world.tenant, source.runId, { mode: 'replay' })), expected)
  }
})

test('an expired entry of a scratchpad is not returned by a fork either', async () => {
  await using world = openUseCases(openInMemoryStore)
  const memoryRef = 'scratch:'
  const config = { ...brief(inAMinute(world)), memoryRef }
  const nodes = [
    { id: 'note', typeId: 'colophon.memory.put', config },
    { id: 'recall', typeId: 'colophon.memory.list', config: { memoryRef, into: 'found' } },
    { id: 'last', typeId: 'core.noop' },
  ]
  await putChain(world, 'visit', nodes)
  const source = await startRun(world, { workflowId: 'visit' })
  assert.equal((source.text.variables.found as unknown[]).length, 1)
  const events = await eventsOf(world, source.runId)
  const fromSeq = events.findIndex(([type, nodeId]) => type === 'node.completed' && nodeId === 'recall') + 1
  world.clock.advance(60_000)
  const branch = forkRun(world.tenant, source.runId, { mode: 'branch', fromSeq })
  assert.equal(await causeOf(branch), 'retention_expired expired')
  const { run } = await forkRun(world.tenant, source.runId, { mode: 'replay' })
  const { text } = await continueRun(world, run)
  assert.deepEqual([text.error?.code, text.variables], ['replay_memory_snapshot_unavailable', {}])
})
