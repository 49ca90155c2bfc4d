import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { publishedSchemas } from '../../../../test/support/published-v2.ts'
import { openUseCases, putChain, startRun } from '../../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../../adapters/in-memory/open.ts'
import { describeRun } from '../../../app/runs/describe-run.ts'
import { forkRun } from '../../../app/runs/fork-run.ts'
import { toFlatOptions, toGroupedOptions } from './configurable.ts'
import { toSnapshot } from './snapshot.ts'

const world = async () => {
  const opened = openUseCases(openInMemoryStore)
  await putChain(opened, 'visit', [{ id: 'a', typeId: 'core.noop' }])
  return opened
}

test('a snapshot is closed: it shows a run, its owner and its era, and nothing of version 1', async (t) => {
  await using one = await world()
  const configurable = { recursionLimit: 5, temperature: 1, ofTheWorkflow: true }
  const run = await startRun(one, { workflowId: 'visit', tags: ['odd tag'], metadata: { a: [1] }, configurable })
  const snapshot = toSnapshot(await describeRun(one.tenant, run, { withTokens: true }))
  assert.equal(snapshot.runId, `acme/${run.runId}`)
  assert.deepEqual([snapshot.eventLogSchemaVersion, snapshot.engineVersion], [3, 1])
  assert.deepEqual(snapshot.configurable, { version: 1, run: { recursionLimit: 5 }, ai: { temperature: 1 } })
  assert.deepEqual([snapshot.tags, snapshot.metadata], [['odd tag'], { a: [1] }])
  const published = publishedSchemas()
  if (published === null) return t.diagnostic('the published schemas are not installed')
  assert.equal(published.problemOf('run-snapshot.schema.json', snapshot), null)
})

test('the parent of a snapshot is the source of a fork', async () => {
  await using one = await world()
  const source = await startRun(one, { workflowId: 'visit' })
  const { run } = await forkRun(one.tenant, source.runId, { mode: 'branch', fromSeq: 1 })
  const snapshot = toSnapshot(await describeRun(one.tenant, run, { withTokens: false }))
  assert.equal(snapshot.parentRunId, `acme/${source.runId}`)
  assert.deepEqual(snapshot.owner, toSnapshot(await describeRun(one.tenant, source, { withTokens: false })).owner)
})

test('a run that was made before runs recorded an era is of era 2, and is not given another', async () => {
  await using one = await world()
  const run = await startRun(one, { workflowId: 'visit' })
  const { era: _era, ...facts } = run.facts
  const old = { tenantId: 'acme', run: { ...run, facts }, currentNodeId: null }
  assert.equal(toSnapshot(old).eventLogSchemaVersion, 2)
})

test('options are the same after both forms', () => {
  const options = fc.record(
    {
      recursionLimit: fc.integer(),
      runTimeoutMs: fc.integer(),
      maxLoopIterations: fc.integer(),
      model: fc.string(),
      temperature: fc.double(),
      promptOverrides: fc.dictionary(fc.string(), fc.string()),
      distillation: fc.record({ tokenBudget: fc.integer() }),
      budget: fc.object(),
    },
    { requiredKeys: [] },
  )
  fc.assert(fc.property(options, (flat) => assert.deepEqual(toFlatOptions(toGroupedOptions(flat) ?? {}), { ...flat })))
})
