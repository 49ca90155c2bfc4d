import assert from 'node:assert/strict'
import type { OpenOptions } from '../../src/open.ts'
import { startChild } from '../support/child.ts'
import { createDatabase } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { checkQuiet, checkStory } from './run-checks.ts'
import { openHost } from './run-host.ts'
import type { RunWorkerMessage, RunWorkerOptions } from './run-messages.ts'
import { registerStory, seeThrough, startStory } from './run-story.ts'

const tenantId = 'acme'
const casesAtOnce = 3
const program = new URL('./run-worker-program.ts', import.meta.url)

/**
 * A process that is killed right after its nth write executes two stories; another process resumes them. Two
 * writes have nothing durable between them, so this is a kill between any two events. False when it made fewer writes.
 */
async function dieAfter(write: number, open: OpenOptions): Promise<boolean> {
  await using host = await openHost(open)
  await registerStory(host.engine.tenant(tenantId))
  const runIds = [
    await startStory(host.engine.tenant(tenantId), 'one'),
    await startStory(host.engine.tenant(tenantId), 'two'),
  ]
  const options: RunWorkerOptions = { open, killAfterWrite: write }
  const child = startChild<RunWorkerMessage>(program, options)
  let isDead = false
  void child.ended.then(() => (isDead = true))
  await seeThrough(host.engine.tenant(tenantId), runIds, () => isDead)
  // It can also be killed at its last write, when nothing is left to complete.
  const { code, signal, stderr } = await child.stop()
  assert.ok(signal === 'SIGKILL' || code === 0, stderr)
  host.startWorker()
  await seeThrough(host.engine.tenant(tenantId), runIds)
  for (const runId of runIds) await checkStory(host.engine.tenant(tenantId), runId)
  await checkQuiet(host.engine.tenant(tenantId))
  return signal === 'SIGKILL'
}

/** Every nth write until there are no more, a few at a time: they mostly wait for processes to start. */
async function sweep(step: number, dieAt: (write: number) => Promise<boolean>): Promise<number> {
  let next = 1
  let isOver = false
  let last = 0
  const work = async () => {
    while (!isOver) {
      const write = next
      next += step
      if (await dieAt(write)) last = Math.max(last, write)
      else isOver = true
    }
  }
  await Promise.all(Array.from({ length: casesAtOnce }, work))
  assert.ok(last > 20, `only ${last} writes were killed`)
  return last
}

/** Gives the number of the last write that was killed. */
export async function sweepSqlite(step: number): Promise<number> {
  const folder = createFolder()
  const last = await sweep(step, (write) => dieAfter(write, { path: folder.file(`after-${write}.db`) }))
  folder.remove()
  return last
}

export async function sweepPostgres(step: number): Promise<number> {
  return sweep(step, async (write) => {
    const database = await createDatabase()
    const wasKilled = await dieAfter(write, { databaseUrl: database.url })
    await database.drop()
    return wasKilled
  })
}
