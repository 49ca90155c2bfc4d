import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { openUseCases, tenantId, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { limits } from '../../core/limits.ts'
import { removeEntry } from '../entries/change.ts'
import { put, putMany } from '../entries/put.ts'
import { putRule } from '../redaction/rules.ts'
import { Tenant } from '../tenant.ts'
import { auditRowsBetween, changes, resumeChanges } from './change-stream.ts'

const write = ({ tenant }: UseCaseWorld, memoryRef = 'notes') => put(tenant, memoryRef, { content: 'text' })

async function take<T>(source: AsyncGenerator<T>, count: number): Promise<T[]> {
  const taken: T[] = []
  for await (const item of source) {
    taken.push(item)
    if (taken.length === count) break
  }
  return taken
}

test('changes come in order of position, each with the entries it is about, and administration is left out', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { entries } = await putMany(world.tenant, 'notes', [{ content: 'a' }, { content: 'b' }])
  await putRule(world.tenant, 'ticket', { pattern: 'TCK' })
  const ids = entries.map(({ id }) => id)
  await removeEntry(world.tenant, 'notes', ids[0] ?? '')
  const at = new Date(world.clock.now).toISOString()
  const found = await take(changes(world.tenant, { after: 0 }), 2)
  assert.deepEqual(
    found.map(({ position, kind, entryIds }) => [position, kind, entryIds]),
    [
      [1, 'memory.written', ids],
      [3, 'memory.deleted', ids.slice(0, 1)],
    ],
  )
  assert.deepEqual([found[0]?.at, found[0]?.memoryRef], [at, 'notes'])
})

test('without a position the changes begin with what is stored from now on', async () => {
  await using world = openUseCases(openInMemoryStore)
  await write(world)
  const stop = new AbortController()
  const source = changes(world.tenant, { signal: stop.signal })
  const next = source.next()
  // The reader has read the position before it waits.
  await new Promise((resolve) => setImmediate(resolve))
  await write(world, 'later')
  const { value } = await next
  assert.deepEqual([value?.position, value?.memoryRef], [2, 'later'])
  stop.abort()
  assert.equal((await source.next()).done, true)
})

test('a reader that aborts gets nothing more, though more is there', async () => {
  await using world = openUseCases(openInMemoryStore)
  for (let n = 0; n < 3; n++) await write(world)
  const stop = new AbortController()
  const source = changes(world.tenant, { after: 0, signal: stop.signal })
  assert.equal((await source.next()).value?.position, 1)
  stop.abort()
  assert.equal((await source.next()).done, true)
})

test('changes before the start of history are refused, and a malformed position is refused', async () => {
  await using world = openUseCases(openInMemoryStore)
  for (let n = 0; n < 3; n++) await write(world)
  const begins = { kind: 'history.begins', historyFrom: 2 } as const
  await world.tenant.commit(begins, { call: { operation: 'test' } })
  await rejectsWith('history_expired', changes(world.tenant, { after: 1 }).next())
  assert.equal((await changes(world.tenant, { after: 2 }).next()).value?.position, 3)
  await rejectsWith('validation_error', changes(world.tenant, { after: -1 }).next())
  await rejectsWith('validation_error', changes(world.tenant, { since: 1 } as object).next())
})

test('a stream resumes at a stored position, and names the gap before it', async () => {
  await using world = openUseCases(openInMemoryStore)
  assert.deepEqual(await resumeChanges(world.tenant, undefined), { from: 0, gaps: [] })
  for (let n = 0; n < 3; n++) await write(world)
  const begins = { kind: 'history.begins', historyFrom: 2 } as const
  await world.tenant.commit(begins, { call: { operation: 'test' } })
  assert.deepEqual(await resumeChanges(world.tenant, undefined), { from: 4, gaps: [] })
  assert.deepEqual(await resumeChanges(world.tenant, 2), { from: 2, gaps: [] })
  assert.deepEqual(await resumeChanges(world.tenant, 1), {
    from: 2,
    gaps: [{ from: 1, to: 2, reason: 'history_expired' }],
  })
  assert.deepEqual(await resumeChanges(world.tenant, 9), {
    from: 4,
    gaps: [{ from: 9, to: 4, reason: 'position_not_reached' }],
  })
})

test('a long history is read page by page, without gaps and repeats', async () => {
  const asked: number[] = []
  const last = 2 * limits.auditPageRecordsMax + 1
  const storage = {
    async audit({ from, to, limit }: { from: number; to: number; limit: number }) {
      asked.push(from)
      const count = Math.min(limit, to - from + 1)
      return Array.from({ length: count }, (_, n) => ({ position: from + n }))
    },
  }
  const positions: number[] = []
  for await (const row of auditRowsBetween(new Tenant({ storage } as never, tenantId), 0, last))
    positions.push(row.position)
  assert.deepEqual(
    positions,
    Array.from({ length: last }, (_, n) => n + 1),
  )
  assert.deepEqual(asked, [1, limits.auditPageRecordsMax + 1, last])
})
