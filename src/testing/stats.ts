import assert from 'node:assert/strict'
import { batchOf } from './batch.ts'
import type { ContractTest, World } from './world.ts'

const hour = 3_600_000

export function statsContract(test: ContractTest): void {
  test('counts what is live, and says when changes happened', async (world) => {
    const memory = world.colophon.memory('acme')
    const start = world.clock.now
    await memory.put('notes', { content: 'one' })
    const gone = await memory.put('notes', { content: 'two' })
    world.clock.advance(2 * hour)
    await memory.put('log', { content: 'three', expiresAt: new Date(world.clock.now + hour).toISOString() })
    await memory.put('log', { content: 'four', expiresAt: new Date(world.clock.now + 1).toISOString() })
    await memory.delete('notes', gone.id)
    world.clock.advance(10)
    const stats = await read(world)
    assert.deepEqual([stats.entries, stats.refs, stats.expiring], [2, 2, 1])
    assert.deepEqual(stats.activity, [
      { at: start, changes: 2, redacted: 0 },
      { at: start + 2 * hour, changes: 3, redacted: 0 },
    ])
    assert.deepEqual(
      (await read(world, { afterPosition: 4 })).activity.map(({ changes }) => changes),
      [1],
    )
    assert.equal((await read(world, { countMax: 1 })).entries, 1)
  })

  test('tells how often each rule took something out', async (world) => {
    await world.colophon.memory('acme').put('notes', { content: 'nothing to hide' })
    const found = [
      { rule: 'door', count: 2 },
      { rule: 'token', count: 1 },
    ]
    for (const hits of [found, found.slice(0, 1)]) {
      const redactions = hits.map((hit) => ({ ...hit, field: 'content' }))
      const put = {
        memoryRef: 'notes',
        entryId: `mem_${hits.length}`,
        content: 'clean by now',
        tags: [],
        expiresAt: null,
        subject: null,
        origin: { kind: 'api' } as const,
        salt: 'salt',
      }
      await world.storage.commit({ ...batchOf({ tenantId: 'acme', puts: [put] }), redactions })
    }
    const { redactions, activity } = await read(world)
    assert.deepEqual([...redactions].sort(), [
      ['door', 4],
      ['token', 1],
    ])
    assert.deepEqual(
      activity.map(({ redacted }) => redacted),
      [2],
    )
  })

  test('of a tenant that has nothing, or is somebody else, there is nothing to count', async (world) => {
    await world.colophon.memory('acme').put('notes', { content: 'one' })
    const stats = await read(world, { tenantId: 'other' })
    assert.deepEqual(stats, {
      entries: 0,
      refs: 0,
      expiring: 0,
      runs: new Map(),
      jobs: new Map(),
      contestedClaims: 0,
      sourceEvents: 0,
      redactions: new Map(),
      activity: [],
    })
  })
}

function read({ storage, clock }: World, parts: { tenantId?: string; afterPosition?: number; countMax?: number } = {}) {
  return storage.stats.read({
    tenantId: 'acme',
    now: clock.now,
    expiringBefore: clock.now + 24 * hour,
    countMax: 100,
    afterPosition: 0,
    spanMs: hour,
    ...parts,
  })
}
