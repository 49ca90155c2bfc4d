import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUseCases } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { explainResult } from './explain-result.ts'

const counts = { memoriesCreated: 0, memoriesSuperseded: 0, memoriesRejected: 0, extractor: 'rules' }

test('the result of a job from before there were decisions is shown as it was stored', async () => {
  await using world = openUseCases(openInMemoryStore)
  assert.deepEqual(await explainResult(world.tenant, counts), counts)
})

test('a memory that is no longer stored keeps its id in the result, and says nothing about itself', async () => {
  await using world = openUseCases(openInMemoryStore)
  const lost = {
    memoryId: 'mem_1',
    by: 'mem_2',
    rule: 'priority',
    won: '90',
    lost: '10',
    outcome: 'overruled',
  } as const
  const { decided, why } = await explainResult(world.tenant, { ...counts, decided: [lost, lost] })
  const shown = { memoryId: 'mem_1', outcome: 'overruled', by: 'mem_2', why: 'Another content outranks it.' }
  assert.deepEqual(decided, [shown, shown])
  assert.equal(why, '2 overruled: see decided.')
  const reader = world.tenant.withReader('ana')
  const { by: _hidden, ...ofReader } = shown
  assert.deepEqual((await explainResult(reader, { ...counts, decided: [lost] })).decided, [ofReader])
})
