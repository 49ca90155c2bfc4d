import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openInMemoryStore } from '../adapters/in-memory/open.ts'
import { nodeSystem } from '../adapters/system/node-system.ts'
import { limits } from '../core/limits.ts'
import { composeColophon } from '../open.ts'

test('suspected poison-pill jobs run one at a time, beside all other jobs', { timeout: 20_000 }, async () => {
  const storage = openInMemoryStore({ now: Date.now })
  await using colophon = composeColophon(storage, nodeSystem(), 'test')
  const jobs = colophon.jobs('acme')
  const suspects = [await jobs.enqueue({ kind: 'work' }), await jobs.enqueue({ kind: 'work' })]
  for (const jobId of suspects)
    await storage.jobs.update('acme', jobId, (job) => ({ ...job, lostLeases: limits.jobSuspectLeases }))
  const innocent = await jobs.enqueue({ kind: 'work' })

  const running = new Set<string>()
  const seen: string[][] = []
  const began = new Map([...suspects, innocent].map((jobId) => [jobId, Promise.withResolvers<void>()]))
  const released = new Map([...began.keys()].map((jobId) => [jobId, Promise.withResolvers<void>()]))
  const worker = colophon.worker({
    concurrency: 8,
    pollMs: 5,
    handlers: {
      work: async ({ jobId }) => {
        running.add(jobId)
        seen.push([...running])
        began.get(jobId)?.resolve()
        await released.get(jobId)?.promise
        running.delete(jobId)
      },
    },
  })
  const begun = async (jobId: string) => began.get(jobId)?.promise
  await begun(innocent)
  const first = await Promise.race(suspects.map((jobId) => begun(jobId).then(() => jobId)))
  const second = suspects.find((jobId) => jobId !== first) ?? ''
  assert.equal((await jobs.get(second))?.status, 'queued')
  released.get(first)?.resolve()
  await begun(second)
  for (const { resolve } of released.values()) resolve()
  await worker.stop()
  const isSuspect = (jobId: string) => jobId !== innocent
  assert.ok(
    seen.every((together) => together.filter(isSuspect).length <= 1),
    JSON.stringify(seen),
  )
  assert.ok(seen.some((together) => together.length === 2))
  for (const jobId of suspects) assert.equal((await jobs.get(jobId))?.attempts, 1)
})
