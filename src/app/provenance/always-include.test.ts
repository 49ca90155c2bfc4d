import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { addRequest } from '../../../test/support/add-request.ts'
import { exportText } from '../../../test/support/export-text.ts'
import { leaseJob, openUseCases, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { isAlwaysIncluded } from '../../core/entries/always-include.ts'
import { limits } from '../../core/limits.ts'
import { parseExportPart } from '../../wires/host/parse-export-part.ts'
import { importPart } from '../portable/import.ts'
import { add } from './add.ts'
import { listMemories } from './find-memories.ts'
import { ingest } from './ingest.ts'

const { signal } = new AbortController()
const caller = { actor: 'key:k1', keyId: 'k1', requestId: 'req_1' }
const max = limits.alwaysIncludeMax

type Marked = { readonly content: string; readonly claimKey?: string }

const facts = (count: number, name: string): Marked[] =>
  Array.from({ length: count }, (_, at) => ({ content: `${name} ${at}` }))

function addMarked({ tenant }: UseCaseWorld, marked: readonly Marked[], options = {}) {
  const messages = marked.map((one) => ({ role: 'user' as const, alwaysInclude: true as const, ...one }))
  return add(tenant, addRequest(messages, { infer: false }), caller, options)
}

async function ingestEvent(world: UseCaseWorld, { event }: Awaited<ReturnType<typeof add>>) {
  world.clock.advance(1_000)
  return ingest(world.tenant, event.sourceEventId, await leaseJob(world, event.jobId), signal)
}

async function countsIn(world: UseCaseWorld, tenant = world.tenant) {
  const { memories } = await listMemories(tenant, { subject: 'ada', limit: 50 })
  return [memories.length, memories.filter(isAlwaysIncluded).length]
}

test('add refuses a mark beyond the limit, but not one that takes the place of a marked memory', async () => {
  await using world = openUseCases(openInMemoryStore)
  await ingestEvent(world, await addMarked(world, [{ content: 'Lisbon', claimKey: 'home' }, ...facts(max - 1, 'Fact')]))
  await rejectsWith('validation_error', addMarked(world, [{ content: 'One more' }]))
  await rejectsWith(
    'validation_error',
    addMarked(world, [{ content: 'Porto', claimKey: 'home' }, { content: 'One more' }]),
  )
  const moved = await ingestEvent(world, await addMarked(world, [{ content: 'Porto', claimKey: 'home' }]))
  assert.equal(moved.memoriesUnmarked, undefined)
  assert.deepEqual(await countsIn(world), [max, max])
})

test('a repeated call with its idempotency key gets its result, also when no further memory can be marked', async () => {
  await using world = openUseCases(openInMemoryStore)
  const first = await addMarked(world, facts(max, 'Fact'), { idempotencyKey: 'k' })
  await ingestEvent(world, first)
  const again = await addMarked(world, facts(max, 'Fact'), { idempotencyKey: 'k' })
  assert.deepEqual([again.repeated, again.event.sourceEventId], [true, first.event.sourceEventId])
})

test('a job that finds the limit reached stores the texts, as many with the mark as fit', async () => {
  await using world = openUseCases(openInMemoryStore)
  const events = [await addMarked(world, facts(max - 1, 'First')), await addMarked(world, facts(3, 'Second'))]
  const results = []
  for (const event of events) results.push(await ingestEvent(world, event))
  assert.deepEqual(
    results.map(({ memoriesCreated, memoriesUnmarked }) => [memoriesCreated, memoriesUnmarked]),
    [
      [max - 1, undefined],
      [3, 2],
    ],
  )
  assert.deepEqual(await countsIn(world), [max + 2, max])
})

test('an import unmarks the memories that its tenant has no room for, and names them', async () => {
  await using world = openUseCases(openInMemoryStore)
  await ingestEvent(world, await addMarked(world, facts(max, 'Fact')))
  const target = world.engine.tenant('globex')
  const own = { ...world, tenant: target }
  const event = await addMarked(own, facts(5, 'Own'))
  const lease = await leaseJob(world, event.event.jobId, 'globex')
  await ingest(target, event.event.sourceEventId, lease, signal)
  const part = await parseExportPart(await exportText(world.tenant, {}))
  const bring = () => importPart(target, part, { merge: true, actor: 'test', trust: 'agent' })
  const result = await bring()
  assert.equal(result.unmarked.length, 5)
  assert.deepEqual(await countsIn(world, target), [max + 5, max])
  assert.deepEqual((await bring()).conflicts, [])
})
