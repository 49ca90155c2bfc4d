import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUseCases, putChain, tenantId } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import type { RunStore } from '../../ports/run-store.ts'
import { cancelActiveRun } from './cancel-runs.ts'
import { createRun } from './create-run.ts'
import { pollLog } from './event-log.ts'

/** A created run that no worker executes, and a tenant that counts the reads of its log. */
async function openRun() {
  const world = openUseCases(openInMemoryStore)
  await putChain(world, 'noop', [{ id: 'n', typeId: 'core.noop' }])
  const { run } = await createRun(world.tenant, { workflowId: 'noop' })
  const { storage } = world.engine
  const reads = { statuses: 0, events: 0 }
  const hooks = { afterStatus: async () => {} }
  const runs: RunStore = {
    ...storage.runs,
    async logStatus(...query) {
      reads.statuses += 1
      const status = await storage.runs.logStatus(...query)
      await hooks.afterStatus()
      return status
    },
    events(query) {
      reads.events += 1
      return storage.runs.events(query)
    },
  }
  const tenant = { ...world.engine, storage: { ...storage, runs } }.tenant(tenantId)
  return { world, tenant, runId: run.runId, reads, hooks, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

const never = new AbortController().signal

test('a poll reads the status, waits, and reads the events once there are some', async () => {
  await using opened = await openRun()
  const { world, tenant, runId, reads } = opened
  const polled = pollLog(tenant, runId, -1, never)
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(reads, { statuses: 1, events: 0 })
  await cancelActiveRun(world.tenant, runId, undefined)
  const { standing, events } = await polled
  assert.deepEqual([standing.status, events.at(-1)?.type], ['cancelled', 'run.cancelled'])
  // The commit has passed the new status.
  assert.deepEqual(reads, { statuses: 1, events: 1 })
})

test('an event that is stored while the status is read ends the poll at once', async () => {
  await using opened = await openRun()
  const { world, tenant, runId, reads, hooks } = opened
  hooks.afterStatus = async () => {
    hooks.afterStatus = async () => {}
    await cancelActiveRun(world.tenant, runId, undefined)
  }
  const { standing } = await pollLog(tenant, runId, -1, never)
  assert.equal(standing.status, 'cancelled')
  assert.deepEqual(reads, { statuses: 1, events: 1 })
})

test('a client with a sequence beyond the log waits for the next event too', async () => {
  await using opened = await openRun()
  const { world, tenant, runId } = opened
  const polled = pollLog(tenant, runId, 500, never)
  await new Promise((resolve) => setImmediate(resolve))
  await cancelActiveRun(world.tenant, runId, undefined)
  assert.equal((await polled).standing.status, 'cancelled')
})
