import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import type { MemoryEntry } from '../../src/core/entries/entry.ts'
import { composeColophon } from '../../src/open.ts'
import { batchOf } from '../contract/suite/batch.ts'
import { createFolder } from '../support/temporary-folder.ts'

/** The index is made of words. When an entry is erased, none of its words may stay in the file. */
test('no byte of an erased or redacted text stays in the index', async () => {
  const { path: folder, remove } = createFolder()
  const path = join(folder, 'colophon.db')
  const storage = openSqlite({ path, now: Date.now })
  const colophon = composeColophon(storage, nodeSystem(Date.now), 'test')
  const memory = colophon.memory('acme')
  const entries: MemoryEntry[] = []
  for (let index = 0; index < 300; index++)
    entries.push(await memory.put('notes', { content: `tea quizzac${index}q with many other words ${index}` }))
  while ((await storage.search.index('acme', 'notes', 50)) > 0);
  const versions = await storage.scanVersions({ tenantId: 'acme', after: null, limit: 1_000 })
  const held = versions.find(({ entryId }) => entryId === entries[7]?.id)
  assert.ok(held)
  await storage.commit(
    batchOf({
      tenantId: 'acme',
      rewrites: [{ ...held, content: 'tea with nothing', tags: [], readSalt: held.salt, salt: 'new' }],
      erasures: versions
        .filter(({ entryId }) => entryId !== held.entryId)
        .slice(0, 200)
        .map(({ memoryRef, entryId, version }) => ({ memoryRef, entryId, version })),
    }),
  )
  await colophon.close()
  const db = new Database(path)
  db.pragma('wal_checkpoint(truncate)')
  db.close()
  const bytes = readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('')
  remove()
  // An index stores what words share once, so a word is looked for by its end too.
  const kept = versions.filter(({ entryId }) => entryId !== held.entryId).slice(200)
  const isThere = (index: number) => bytes.includes(`quizzac${index}q`)
  const numberOf = (id: string) => entries.findIndex((entry) => entry.id === id)
  assert.ok(kept.every(({ entryId }) => isThere(numberOf(entryId))))
  const gone = entries.flatMap(({ id }, index) => (kept.some(({ entryId }) => entryId === id) ? [] : [index]))
  assert.equal(gone.length, 201)
  assert.deepEqual(gone.filter(isThere), [])
})
