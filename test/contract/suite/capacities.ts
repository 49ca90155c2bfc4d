import assert from 'node:assert/strict'
import type { Batch } from '../../../src/core/commit/batch.ts'
import type { Capacity, Counted } from '../../../src/core/commit/parts/capacities.ts'
import { isColophonError } from '../../../src/core/errors.ts'
import { rejectsWith } from './assert-code.ts'
import { batchOf } from './batch.ts'
import { ensureTenants } from './run-step.ts'
import type { ContractTest, World } from './world.ts'

const tenantId = 'acme'
const max = 3

const put = (entryId: string, memoryRef: string, tags: readonly string[] = [], expiresAt: number | null = null) => ({
  ...{ entryId, memoryRef, tags, expiresAt, content: 'x', subject: null, salt: 's' },
  origin: { kind: 'api' as const },
})
const record = (id: string) => ({ kind: 'heartbeat' as const, id, body: { text: {}, sealed: {} }, expects: 0 })
const commit = ({ storage }: World, parts: Partial<Batch>) => storage.commit(batchOf({ tenantId, ...parts }))

/** Limits on numbers hold under the lock, whatever the callers have counted before. */
export function capacitiesContract(test: ContractTest): void {
  test('of many batches at the same time only as many are stored as the limit allows', async (world) => {
    await ensureTenants(world, tenantId)
    const now = world.clock.now
    const things: readonly { readonly of: Counted; readonly one: (n: number) => Partial<Batch> }[] = [
      { of: { records: 'heartbeat' }, one: (n) => ({ admin: [record(`h${n}`)] }) },
      { of: { memoryRef: 'a', tag: null, now }, one: (n) => ({ puts: [put(`a${n}`, 'a')] }) },
      { of: { memoryRef: 'b', tag: 't', now }, one: (n) => ({ puts: [put(`b${n}`, 'b', ['t'])] }) },
      { of: { memoryRef: 'c:', isPrefix: true, tag: null, now }, one: (n) => ({ puts: [put(`c${n}`, `c:${n}`)] }) },
      {
        of: { memoryRef: 'd:', isPrefix: true, tag: 't', now },
        one: (n) => ({ puts: [put(`d${n}`, `d:${n}`, ['t'])] }),
      },
    ]
    for (const { of, one } of things) {
      const capacities: Capacity[] = [{ of, max }]
      const all = Array.from({ length: 6 }, (_, n) => commit(world, { ...one(n), capacities }))
      const settled = await Promise.allSettled(all)
      assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, max, JSON.stringify(of))
      for (const result of settled)
        if (result.status === 'rejected') assert.ok(isColophonError(result.reason, 'version_conflict'))
      await rejectsWith('version_conflict', commit(world, { ...one(9), capacities }))
    }
  })

  test('entries that ended, expired or have another tag or ref do not count, and one batch counts as a whole', async (world) => {
    await ensureTenants(world, tenantId)
    const { now } = world.clock
    await commit(world, {
      puts: [put('e1', 'a', ['t']), put('e2', 'a', ['t'], now + 10), put('e3', 'a'), put('e4', 'ab', ['t'])],
    })
    await commit(world, { ends: [{ memoryRef: 'a', entryId: 'e1', reason: 'deleted' }] })
    const capacities = (at: number): Capacity[] => [{ of: { memoryRef: 'a', tag: 't', now: at }, max: 2 }]
    const two = { puts: [put('e5', 'a', ['t']), put('e6', 'a', ['t'])] }
    await rejectsWith('version_conflict', commit(world, { ...two, capacities: capacities(now) }))
    await commit(world, { ...two, capacities: capacities(now + 10) })
    const revived = {
      memoryRef: 'a',
      entryId: 'e1',
      content: 'x',
      tags: ['t'],
      origin: { kind: 'api' as const },
      salt: 's',
    }
    const back = { revisions: [{ ...revived, revives: true }], capacities: capacities(now + 10) }
    await rejectsWith('version_conflict', commit(world, back))
    // A change of an entry that is there takes no place.
    const revisions = [{ ...revived, entryId: 'e5', revives: false }]
    await commit(world, { revisions, capacities: capacities(now + 10) })
  })
}
