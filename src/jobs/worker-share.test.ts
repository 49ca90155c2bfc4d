import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openModel } from '../adapters/model/open.ts'
import { nodeSystem } from '../adapters/system/node.ts'
import { composeColophon } from '../open.ts'

const places = 16

test('one tenant with many jobs that take long leaves places to others', async () => {
  await using colophon = composeColophon(openModel({ now: Date.now }), nodeSystem(), 'test')
  const running: string[] = []
  const over = Promise.withResolvers<void>()
  let began = Promise.withResolvers<void>()
  const until = async (count: number) => {
    while (running.length < count) await began.promise
  }
  for (let n = 0; n < 3 * places; n++) await colophon.jobs('hot').enqueue({ kind: 'slow' })
  const worker = colophon.worker({
    concurrency: places,
    pollMs: 5,
    handlers: {
      slow: async ({ tenantId }) => {
        running.push(tenantId)
        began.resolve()
        began = Promise.withResolvers<void>()
        await over.promise
      },
    },
  })
  await until(places - 2)
  await colophon.jobs('quiet').enqueue({ kind: 'slow' })
  await until(places - 1)
  await colophon.jobs('calm').enqueue({ kind: 'slow' })
  await until(places)
  assert.deepEqual(running.slice(-2), ['quiet', 'calm'])
  assert.equal(running.filter((tenantId) => tenantId === 'hot').length, places - 2)
  over.resolve()
  await until(3 * places + 2)
  await worker.stop()
})
