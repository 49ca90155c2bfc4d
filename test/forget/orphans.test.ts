import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import Database from 'better-sqlite3'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { createDatabase, releaseServer, run } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { forgetAll, isForget, openHost, tenantId } from './own-host.ts'

after(releaseServer)

type Opened = { storage: Storage; execute: (sql: string) => Promise<void>; drop: () => Promise<void>; indexed: boolean }

const stores: Record<string, () => Promise<Opened>> = {
  async sqlite() {
    const folder = createFolder()
    const path = folder.file('x.db')
    const execute = async (sql: string) => void new Database(path).exec(sql).close()
    return { storage: openSqlite({ path, now: Date.now }), execute, drop: async () => folder.remove(), indexed: true }
  },
  async postgres() {
    const { url, drop } = await createDatabase()
    const execute = async (sql: string) => void (await run(url, sql))
    return { storage: await openPostgres({ url, now: Date.now }), execute, drop, indexed: false }
  },
}

for (const [name, open] of Object.entries(stores)) {
  describe(`orphan rows on ${name}`, () => {
    test('the next forget deletes orphan rows, and completes', async () => {
      const { storage, execute, drop, indexed } = await open()
      const { engine, close, work } = openHost(storage)
      try {
        const memory = engine.tenant(tenantId)
        if (indexed) {
          await memory.put('notes', { content: 'heron' })
          await memory.put('notes', { content: 'plover' })
          await storage.search.index(tenantId, 'notes', 10)
        }
        await memory.put('notes', { content: 'stork', tags: ['bird'] })
        await execute(`delete from entry_version where content <> 'plover'`)
        await memory.put('notes', { content: 'Ada was here.', subject: 'ada', tags: ['bird'] })
        const before = await storage.forget.leftovers(tenantId, [])
        assert.equal(before.searchRows, indexed ? 1 : 0)
        work(isForget)
        const facts = await forgetAll(engine, 'subject', 'ada')
        assert.equal(facts?.counts.entries, 1)
        assert.deepEqual(new Set(Object.values(facts?.left ?? {})), new Set([0]))
        await forgetAll(engine, 'tag', 'bird')
        await storage.search.index(tenantId, 'notes', 10)
        const found = await memory.search('notes', 'heron plover stork')
        assert.deepEqual(
          found.results.map(({ entry }) => entry.content),
          indexed ? ['plover'] : [],
        )
      } finally {
        await close()
        await drop()
      }
    })
  })
}
