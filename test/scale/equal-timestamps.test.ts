import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { composeColophon } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { isThorough } from '../support/thorough.ts'

after(releaseServer)

const batches = isThorough ? 100 : 20
const batchEntries = 1_000

/** Many entries of one instant, while the clock jumps back and forth between the batches that follow it. */
async function checkOrder(open: (now: () => number) => Storage | Promise<Storage>): Promise<void> {
  const clock = { now: Date.parse('2026-06-01T12:00:00Z') }
  const start = clock.now
  const now = () => clock.now
  const colophon = composeColophon(await open(now), nodeSystem(now), 'test')
  try {
    const memory = colophon.memory('acme')
    const written: string[] = []
    for (let batch = 0; batch < batches; batch++) {
      clock.now = batch % 3 === 1 ? start - batch * 60_000 : start
      const drafts = Array.from({ length: batchEntries }, (_, i) => ({
        content: `${batch}/${i}`,
        tags: i % 100 === 0 ? ['rare'] : [],
      }))
      written.push(...(await memory.putMany('notes', drafts)).entries.map((entry) => entry.id))
    }
    const expected = written.reverse()
    const seen: string[] = []
    const instants = new Set<string>()
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page: Awaited<ReturnType<typeof memory.list>> = await memory.list('notes', {
        limit: 500,
        ...(cursor ? { cursor } : {}),
      })
      for (const entry of page.entries) {
        seen.push(entry.id)
        instants.add(entry.createdAt)
      }
      cursor = page.cursor
      // What is written while a client reads pages belongs to later positions and shifts no page.
      if (seen.length % 5_000 === 0) await memory.put('notes', { content: 'meanwhile' })
    }
    assert.deepEqual([...instants], [new Date(start).toISOString()])
    assert.equal(seen.length, batches * batchEntries)
    assert.ok(
      seen.every((id, index) => id === expected[index]),
      'pages must follow the order of writing exactly',
    )
    const rare = await memory.list('notes', { tag: 'rare', limit: 500 })
    assert.deepEqual(
      rare.entries.map((entry) => entry.id),
      expected.filter((_, index) => (batchEntries - 1 - (index % batchEntries)) % 100 === 0).slice(0, 500),
    )
  } finally {
    await colophon.close()
  }
}

test('SQLite: order and cursors are kept with thousands of equal instants and a clock that jumps back', async () => {
  const folder = createFolder()
  try {
    await checkOrder((now) => openSqlite({ path: folder.file('memory.db'), now }))
  } finally {
    folder.remove()
  }
})

test('PostgreSQL: order and cursors are kept with thousands of equal instants and a clock that jumps back', async () => {
  const database = await createDatabase()
  try {
    await checkOrder((now) => openPostgres({ url: database.url, now }))
  } finally {
    await database.drop()
  }
})
