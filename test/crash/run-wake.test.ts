import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { createRun } from '../../src/app/runs/create-run.ts'
import { putWorkflow } from '../../src/app/runs/workflow-registry.ts'
import type { OpenOptions } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { chain, noop, put } from '../server/runs-calls.ts'
import { eventually } from '../support/child.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { checkCompleted, checkQuiet } from './run-checks.ts'
import { openHost } from './run-host.ts'

after(releaseServer)

const tenantId = 'acme'

const child = chain('child', [noop()])
const written = put('written', 'while the child runs')
/** The child starts with the commit of what is written beside it, so the parent is still executing while it runs. */
const parent = chain(
  'parent',
  [
    { id: 'inside', typeId: 'core.subWorkflow', config: { workflowId: 'child' } },
    { ...written, config: { ...written.config, into: 'written' } },
  ],
  { edges: [] },
)

/** Lets the child end after the parent checked it for the last time and is about to suspend. */
function atTheWorstMoment(storage: Storage): Storage {
  const parentLooked = Promise.withResolvers<void>()
  const childEnded = Promise.withResolvers<void>()
  return {
    ...storage,
    async commit(batch) {
      const ends = batch.runs.some(({ run }) => run.facts.parent !== null && run.status === 'completed')
      if (ends) await parentLooked.promise
      const liesDown = batch.park !== null && batch.runs.some(({ run }) => run.workflowId === 'parent')
      if (liesDown) {
        parentLooked.resolve()
        await childEnded.promise
      }
      const committed = await storage.commit(batch)
      if (ends) childEnded.resolve()
      return committed
    },
  }
}

async function checkWake(open: OpenOptions): Promise<void> {
  await using host = await openHost(open, { wrap: atTheWorstMoment })
  const { engine } = host
  for (const workflow of [child, parent]) await putWorkflow(engine.tenant(tenantId), workflow)
  host.startWorker()
  const { run } = await createRun(engine.tenant(tenantId), { workflowId: 'parent' })
  const statusOf = async () => (await engine.storage.runs.get(tenantId, run.runId))?.status
  await eventually('the parent has heard of its child', async () => (await statusOf()) === 'completed', 20_000)
  const ended = await checkCompleted(engine.tenant(tenantId), run.runId)
  await checkCompleted(engine.tenant(tenantId), ended.facts.nodes.inside?.childRunId ?? '')
  assert.equal(ended.facts.nodes.inside?.status, 'completed')
  await checkQuiet(engine.tenant(tenantId))
}

describe('a child that ends just before its parent starts to wait still wakes the parent', () => {
  test('on SQLite', async () => {
    const folder = createFolder()
    await checkWake({ path: folder.file('wake.db') })
    folder.remove()
  })
  test('on PostgreSQL', async () => {
    const database = await createDatabase()
    await checkWake({ databaseUrl: database.url })
    await database.drop()
  })
  test('in memory', () => checkWake({ inMemory: true }))
})
