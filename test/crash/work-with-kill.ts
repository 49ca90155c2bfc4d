import assert from 'node:assert/strict'
import type { Engine } from '../../src/app/engine.ts'
import type { OpenOptions } from '../../src/open.ts'
import { eventually, startChild } from '../support/child.ts'
import type { CompactWorkerOptions } from './compact-kill.ts'
import { openHost } from './run-host.ts'

const program = new URL('./compact-worker-program.ts', import.meta.url)

/** Work of background jobs that takes effect once, for a number of things that are prepared before any worker runs. */
export type OnceWork = {
  prepare(engine: Engine, count: number): Promise<void>
  isDone(engine: Engine, count: number): Promise<boolean>
  checkOnce(engine: Engine, count: number): Promise<void>
}

/** A process that is killed at its nth write does the work; another one goes on. False when it made fewer writes. */
export async function workWithKill(
  { prepare, isDone, checkOnce }: OnceWork,
  killAt: number,
  moment: 'before' | 'after',
  open: OpenOptions,
): Promise<boolean> {
  await using host = await openHost(open)
  const { engine } = host
  await prepare(engine, 1)
  const options: CompactWorkerOptions = { open, killAt, moment }
  const child = startChild<never>(program, options)
  let hasEnded = false
  void child.ended.then(() => (hasEnded = true))
  await eventually('it was killed or is done', async () => hasEnded || (await isDone(engine, 1)))
  const { code, signal, stderr } = await child.stop()
  assert.ok(signal === 'SIGKILL' || code === 0, stderr)
  host.startWorker(1)
  await eventually('it is done', () => isDone(engine, 1))
  await checkOnce(engine, 1)
  return signal === 'SIGKILL'
}

/** Two processes do the same work. */
export async function workInTwo(
  { prepare, isDone, checkOnce }: OnceWork,
  open: OpenOptions,
  count: number,
): Promise<void> {
  await using host = await openHost(open)
  await prepare(host.engine, count)
  const options: CompactWorkerOptions = { open, killAt: 0, moment: 'after' }
  const children = [startChild<never>(program, options), startChild<never>(program, options)]
  await eventually('all is done', () => isDone(host.engine, count))
  for (const child of children) assert.equal((await child.stop()).code, 0)
  await checkOnce(host.engine, count)
}

/** All runs of the tenant that the work uses. */
export function runsOf({ storage }: Engine, tenantId: string) {
  return storage.runs.list({ tenantId, status: null, workflowId: null, after: null, limit: 500 })
}
