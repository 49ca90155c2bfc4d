import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
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
import { isEnded, type Run } from '../../core/run/run.ts'
import { list } from '../entries/read.ts'
import { forkRun } from './fork-run.ts'
import { allEvents } from './recorded-run.ts'
import { resolveInterrupt } from './resolve-interrupt.ts'

const put = { id: 'put', typeId: 'colophon.memory.put', config: { memoryRef: 'notes', content: 'tea' } }
const noop = { id: 'then', typeId: 'core.noop' }
const gate = { id: 'gate', typeId: 'core.approvalGate' }
const fail = { id: 'fail', typeId: 'core.fail' }

/** Workflows whose logs have every kind of step that a fork can begin inside of. */
const flows = { writes: [put, noop], asks: [gate, noop], fails: [noop, fail] }

/** Drives a run to its end: an open approval is accepted. */
async function toEnd(world: UseCaseWorld, run: Run): Promise<Run> {
  for (let now = run; ; ) {
    if (isEnded(now.status)) return now
    const { runId } = now
    const isOpen = now.text.interrupts.gate?.resolution === null
    const isWaiting = isOpen && now.status === 'waiting-approval'
    if (isWaiting)
      await resolveInterrupt(world.tenant, { runId, nodeId: 'gate' }, { value: { action: 'accept' }, by: 'key:k' })
    now = await continueRun(world, now)
  }
}

async function open(flow: keyof typeof flows) {
  const world = openUseCases(openInMemoryStore)
  await putChain(world, flow, flows[flow])
  const source = await toEnd(world, await startRun(world, { workflowId: flow }))
  return { ...world, source, log: await allEvents(world.tenant, source.runId) }
}

const shape = (events: Awaited<ReturnType<typeof allEvents>>) =>
  events.map(({ type, nodeId, payload }) => ({ type, nodeId, payload }))
const count = async ({ tenant }: UseCaseWorld) => (await list(tenant, 'notes')).entries.length

for (const flow of Object.keys(flows) as (keyof typeof flows)[])
  for (const mode of ['branch', 'replay'] as const)
    describe(`a ${mode} of a run that ${flow}, exactly at an event`, () => {
      test('inherits the events before it, starts a node that was under way again, and ends as its source', async () => {
        await using world = await open(flow)
        const { tenant, source, log } = world
        for (const [fromSeq, event] of log.entries()) {
          const before = await count(world)
          const where = `${fromSeq}, ${event.type}`
          if (event.type === 'approval.received' || event.type === 'node.resumed') {
            const inside = forkRun(tenant, source.runId, { mode, fromSeq, boundary: 'event' })
            await rejectsWith('invalid_from_seq', inside)
            continue
          }
          const { run } = await forkRun(tenant, source.runId, { mode, fromSeq, boundary: 'event' })
          const ended = await toEnd(world, run)
          const forked = await allEvents(tenant, run.runId)
          assert.equal(ended.status, source.status, where)
          assert.deepEqual(shape(forked).slice(0, fromSeq), shape(log).slice(0, fromSeq), where)
          const isNodeEnd = event.type === 'node.completed' || event.type === 'node.failed'
          if (isNodeEnd)
            assert.deepEqual([forked[fromSeq]?.type, forked[fromSeq]?.nodeId], ['node.started', event.nodeId])
          assert.equal(forked.at(-1)?.type, log.at(-1)?.type, where)
          assert.deepEqual(ended.text.variables, source.text.variables, where)
          if (mode === 'replay') {
            assert.equal(await count(world), before, 'a replay writes nothing')
            const isWrite = ({ type }: { type: string }) => type === 'memory.written'
            assert.deepEqual(shape(forked).filter(isWrite), shape(log).filter(isWrite), where)
          }
          const { run: again } = await forkRun(tenant, run.runId, { mode: 'replay' })
          assert.equal((await toEnd(world, again)).status, source.status, `the replay of that fork, ${where}`)
          assert.deepEqual(shape(await allEvents(tenant, again.runId)), shape(forked), where)
        }
      })
    })

test('a write before the point is not repeated by the node that starts again', async () => {
  await using world = await open('writes')
  const { tenant, source, log } = world
  const fromSeq = log.findIndex(({ type }) => type === 'node.completed')
  const { run } = await forkRun(tenant, source.runId, { mode: 'branch', fromSeq, boundary: 'event' })
  await toEnd(world, run)
  const written = (await allEvents(tenant, run.runId)).filter(({ type, nodeId }) => type === 'memory.written' && nodeId)
  assert.deepEqual([written.length, await count(world)], [1, 1])
})

test('an event must be in the log, while a step may begin at its end', async () => {
  await using world = await open('writes')
  const { tenant, source } = world
  const fromSeq = source.nextSequence
  await rejectsWith('invalid_from_seq', forkRun(tenant, source.runId, { mode: 'replay', fromSeq, boundary: 'event' }))
  await rejectsWith(
    'invalid_from_seq',
    forkRun(tenant, source.runId, { mode: 'branch', fromSeq: 999, boundary: 'event' }),
  )
  const { run } = await forkRun(tenant, source.runId, { mode: 'replay', fromSeq })
  assert.equal((await world.engine.storage.runs.get(tenantId, run.runId))?.nextSequence, fromSeq)
})
