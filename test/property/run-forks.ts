import assert from 'node:assert/strict'
import { forkRun } from '../../src/app/runs/fork-run.ts'
import type { EntryVersion } from '../../src/core/entries/entry.ts'
import type { ForkMode, RunEvent } from '../../src/core/run/run.ts'
import { settle } from './run-acts.ts'
import type { During } from './run-script.ts'
import { type RunRecord, readRunRecord } from './run-view.ts'
import type { World } from './run-world.ts'

/** Forks a run and drives the fork to its end; a replay gets no replies, only the clock moves. */
export async function fork(
  world: World,
  sourceRunId: string,
  mode: ForkMode,
  fromSeq: number,
  during: readonly During[] = [],
): Promise<RunRecord> {
  const { engine, tenantId } = world
  const { run } = await world.undisturbed(() => forkRun(engine.tenant(tenantId), sourceRunId, { mode, fromSeq }))
  await world.driveDue(during)
  await settle(world, { isAnswered: mode === 'branch' })
  return readRunRecord(world, run.runId)
}

/** Everything that a replay must leave alone: the clock, every version, the end of the audit chain. */
export async function memoryState({ storage, tenantId }: World): Promise<unknown> {
  const clock = await storage.clock(tenantId)
  const versions: EntryVersion[] = []
  for (let after: EntryVersion | null = null; ; ) {
    const page: readonly EntryVersion[] = await storage.scanVersions({ tenantId, after, limit: 500 })
    versions.push(...page)
    after = page.at(-1) ?? null
    if (page.length < 500) break
  }
  const to = clock?.position ?? 0
  return { clock, versions, audit: await storage.audit({ tenantId, from: to, to, limit: 1 }) }
}

/** An event without its instant; memory events that a replay repeats keep their instant. */
function withoutInstant({ type, nodeId, payload, at }: RunEvent) {
  return type === 'memory.written' ? { type, nodeId, payload, at } : { type, nodeId, payload }
}

/** The first effect after a cancel, which the source did not have: a replay records that it is not done. */
function isRefusedEffect({ type, payload }: RunEvent): boolean {
  const { code } = (payload.error ?? {}) as { code?: unknown }
  return type === 'node.failed' && code === 'replay_source_missing'
}

function isOfSession({ type, nodeId }: RunEvent): boolean {
  return type === 'memory.written' && nodeId === null
}

/** Events that are stored together with the one before them: the rest of an interrupt or a reply, and the end. */
const isWithLast =
  /^(interrupt\.requested|approval\.(requested|received)|node\.resumed|run\.(failed|completed|cancelled))$/

const timeless = (record: RunRecord) => ({
  events: record.events.map(withoutInstant),
  calls: record.calls,
  variables: record.run.text.variables,
  outputs: record.run.text.outputs,
  status: record.run.status,
  error: record.run.text.error,
  nodes: Object.fromEntries(
    Object.entries(record.run.facts.nodes).map(([nodeId, { status, attempt }]) => [nodeId, { status, attempt }]),
  ),
})

export function checkReplay(source: RunRecord, replay: RunRecord): void {
  const { fork } = replay.run.facts
  assert.ok(fork?.mode === 'replay' && fork.sourceRunId === source.run.runId)
  checkPrefix(source, replay, fork.fromSeq)
  const recorded = ({ events, ...rest }: RunRecord) => ({
    ...rest,
    events: events.filter((event) => !isRefusedEffect(event)),
  })
  const refused = replay.events.length - recorded(replay).events.length
  assert.ok(refused <= (source.run.status === 'cancelled' ? 1 : 0), 'only behind a cancel there is something to refuse')
  const of = `replay of ${source.run.runId} from ${fork.fromSeq}`
  assert.deepEqual(timeless(recorded(replay)), timeless(recorded(source)), of)
}

/** Two replays of the same point are equal in everything but their names. */
export function checkSameReplay(a: RunRecord, b: RunRecord): void {
  assert.deepEqual(timeless(a), timeless(b))
}

/** Events before the fork are equal to the source's, including their instants. */
function checkPrefix(source: RunRecord, forked: RunRecord, fromSeq: number): void {
  assert.deepEqual(forked.events.slice(0, fromSeq), source.events.slice(0, fromSeq))
  const isBefore = ({ sequence }: { sequence: number }) => sequence < fromSeq
  assert.deepEqual(forked.calls.filter(isBefore), source.calls.filter(isBefore))
  assert.deepEqual(forked.run.snapshot, source.run.snapshot)
  assert.deepEqual(forked.run.text.inputs, source.run.text.inputs)
  for (const { type, nodeId } of forked.events.slice(0, fromSeq)) {
    if (type !== 'node.completed') continue
    const name = `v${nodeId?.slice(1)}`
    assert.deepEqual(forked.run.text.variables[name], source.run.text.variables[name], `${name} of the source`)
  }
}

/** A branch is independent: everything it writes is new. */
export function checkBranch(world: World, source: RunRecord, branch: RunRecord, fromSeq: number): void {
  checkPrefix(source, branch, fromSeq)
  const inherited = world.history.creations.get(branch.run.runId)?.inherited ?? -1
  assert.ok(inherited >= fromSeq, 'it begins with everything before the point')
  const given = branch.events.slice(fromSeq, inherited)
  assert.deepEqual(given.map(withoutInstant), source.events.slice(fromSeq, inherited).map(withoutInstant))
  assert.ok(
    given.every((event) => isWithLast.test(event.type) || isOfSession(event)),
    'and with nothing else but the rest of the events that were recorded together there',
  )
  const idsOf = (events: readonly RunEvent[]) =>
    events.filter(({ type }) => type === 'memory.written').map(({ payload }) => payload.memoryId)
  const fresh = idsOf(branch.events.slice(inherited))
  const taken = new Set(idsOf(source.events))
  for (const id of fresh) assert.ok(!taken.has(id), `${id} is the source's`)
  const isOwn = (id: unknown) => {
    const written = world.history.versions.find((version) => version.id === id)
    // Scratchpads are not in the store.
    return written === undefined || written.by?.runId === branch.run.runId
  }
  assert.ok(fresh.every(isOwn), 'a branch records only its own writes')
}
