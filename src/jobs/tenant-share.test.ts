import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openInMemoryStore } from '../adapters/in-memory/open.ts'
import { nodeSystem } from '../adapters/system/node-system.ts'
import { composeColophon } from '../open.ts'

const slots = 16

test('a tenant with many slow jobs leaves slots to other tenants', async () => {
  await using colophon = composeColophon(openInMemoryStore({ now: Date.now }), nodeSystem(), 'test')
  const running: string[] = []
  const released = Promise.withResolvers<void>()
  let began = Promise.withResolvers<void>()
  const until = async (count: number) => {
    while (running.length < count) await began.promise
  }
  for (let n = 0; n < 3 * slots; n++) await colophon.jobs('hot').enqueue({ kind: 'slow' })
  const worker = colophon.worker({
    concurrency: slots,
    pollMs: 5,
    handlers: {
      slow: async ({ tenantId }) => {
        running.push(tenantId)
        began.resolve()
        began = Promise.withResolvers<void>()
        await released.promise
      },
    },
  })
  await until(slots - 2)
  await colophon.jobs('quiet').enqueue({ kind: 'slow' })
  await until(slots - 1)
  await colophon.jobs('calm').enqueue({ kind: 'slow' })
  await until(slots)
  assert.deepEqual(running.slice(-2), ['quiet', 'calm'])
  assert.equal(running.filter((tenantId) => tenantId === 'hot').length, slots - 2)
  released.resolve()
  await until(3 * slots + 2)
  await worker.stop()
})
