import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { createRun } from '../../src/app/runs/create-run.ts'
import { putWorkflow } from '../../src/app/runs/workflow-registry.ts'
import type { OpenOptions } from '../../src/open.ts'
import { checkCompleted, runOf } from '../crash/run-checks.ts'
import { openHost } from '../crash/run-host.ts'
import { seeThrough } from '../crash/run-story.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { contentsOf, inside, look, note } from './run-snapshot-calls.ts'
import { chain, type NodeParts } from './runs-calls.ts'

after(releaseServer)

const tenantId = 'acme'
const ref = 'family'
const instant = Date.parse('2026-06-01T12:00:00Z')
const writes = 60
const childWrites = 5

const child = chain(
  'child',
  Array.from({ length: childWrites }, (_, index) => note(`inner ${index}`)),
)

/** Most writes share a commit with others; a look in between ends it, and so does the child. */
const steps: readonly NodeParts[] = Array.from({ length: writes }, (_, index) => [
  note(`own ${index}`),
  ...(index % 13 === 7 ? [look(`look ${index}`)] : []),
  ...(index === writes / 2 ? [inside('inside', 'child')] : []),
]).flat()
const parent = chain('parent', [...steps, look('last look')])

type Entry = { readonly content: string; readonly createdAt: string }

/** Everything happens in one millisecond: only positions putEntry what came first. */
async function writeInOneInstant(open: OpenOptions): Promise<void> {
  await using host = await openHost(open, { now: () => instant })
  const { engine } = host
  const memory = engine.tenant(tenantId)
  for (const workflow of [child, parent]) await putWorkflow(engine.tenant(tenantId), workflow)
  for (const index of [0, 1, 2]) await memory.put(ref, { content: `before ${index}` })
  const { run } = await createRun(engine.tenant(tenantId), { workflowId: 'parent' })
  for (const index of [0, 1, 2]) await memory.put(ref, { content: `since ${index}` })
  host.startWorker()
  await seeThrough(engine.tenant(tenantId), [run.runId])
  await checkCompleted(engine.tenant(tenantId), run.runId)

  const { text } = await runOf(engine.tenant(tenantId), run.runId)
  const newestFirst = ['before 2', 'before 1', 'before 0']
  for (const { id } of parent.nodes) {
    if (id.startsWith('own')) newestFirst.unshift(id)
    else if (id === 'inside') for (const { id: inner } of child.nodes) newestFirst.unshift(inner)
    else {
      const seen = text.variables[id] as Entry[]
      assert.deepEqual(contentsOf(seen), newestFirst, id)
      assert.deepEqual(new Set(seen.map(({ createdAt }) => createdAt)), new Set([new Date(instant).toISOString()]))
    }
  }
  assert.equal(newestFirst.length, 3 + writes + childWrites)
  const now = (await memory.list(ref, { limit: 500 })).entries
  const ofOthers = ['since 2', 'since 1', 'since 0']
  assert.deepEqual(contentsOf(now), newestFirst.toSpliced(writes + childWrites, 0, ...ofOthers))
}

describe('writes of a run within one millisecond keep their order', () => {
  test('on SQLite', async () => {
    const folder = createFolder()
    await writeInOneInstant({ path: folder.file('order.db') })
    folder.remove()
  })
  test('on PostgreSQL', async () => {
    const database = await createDatabase()
    await writeInOneInstant({ databaseUrl: database.url })
    await database.drop()
  })
  test('in memory', () => writeInOneInstant({ inMemory: true }))
})
