import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchOf } from '../../../test/contract/suite/batch.ts'
import { assertionOf, claimStep } from '../../../test/contract/suite/provenance-rows.ts'
import { openUseCases, tenantId } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { limits } from '../../core/limits.ts'
import type { Storage } from '../../ports/storage.ts'
import { countReresolve } from './count-reresolve.ts'
import { reresolve } from './reresolve.ts'
import { changeWriter, createWriter } from './writers.ts'

/** Claims of one entry each that `crm` lost to `chat`. */
async function openClaims(count: number) {
  const reads: number[] = []
  const open = (options: { now: () => number }): Storage => {
    const store = openInMemoryStore(options)
    const assertionsOfClaims: Storage['provenance']['assertionsOfClaims'] = async (id, claimIds) => {
      reads.push(claimIds.length)
      return store.provenance.assertionsOfClaims(id, claimIds)
    }
    return { ...store, provenance: { ...store.provenance, assertionsOfClaims } }
  }
  const world = openUseCases(open)
  const { writer } = await createWriter(world.tenant, {
    serviceKey: 'crm',
    authorityRules: { defaultPriority: 10, categories: {} },
  })
  const claims = Array.from({ length: count }, (_, nth) => {
    const claimId = `clm_${String(nth).padStart(6, '0')}`
    const assertions = [
      assertionOf(0, { claimId, service: 'chat', priority: 50, entryId: `mem_chat_${nth}` }),
      assertionOf(1, { claimId, service: 'crm', priority: 10, entryId: `mem_crm_${nth}` }),
    ]
    return claimStep(claimId, { claim: { claimId, winner: `mem_chat_${nth}` }, assertions })
  })
  await world.engine.storage.commit(batchOf({ tenantId, claims }))
  return { ...world, writer, reads }
}

test('the count of claims is that of a reresolve, and nothing is stored', async () => {
  await using world = await openClaims(120)
  const { tenant, writer } = world
  assert.deepEqual(await countReresolve(tenant, writer), { claims: 0 })
  const { writer: changed } = await changeWriter(tenant, writer.writerId, {
    authorityRules: { defaultPriority: 60, categories: {} },
  })
  const position = (await tenant.snapshot()).position
  assert.deepEqual(await countReresolve(tenant, changed), { claims: 120 })
  assert.equal((await tenant.snapshot()).position, position)
  const pass = { signal: new AbortController().signal, onProgress: () => {} }
  assert.equal((await reresolve(tenant, [writer.writerId], pass)).changed, 120)
  assert.deepEqual(await countReresolve(tenant, changed), { claims: 0 })
})

test('with more claims than a call examines the count is a lower bound, and the work is bounded', async () => {
  const max = limits.reresolveCountClaimsMax
  await using world = await openClaims(max + 200)
  const rules = { authorityRules: { defaultPriority: 60, categories: {} } }
  const { writer } = await changeWriter(world.tenant, world.writer.writerId, rules)
  world.reads.length = 0
  assert.deepEqual(await countReresolve(world.tenant, writer), { claims: max, atLeast: true })
  assert.equal(
    world.reads.reduce((sum, count) => sum + count, 0),
    max,
  )
})
