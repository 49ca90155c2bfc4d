import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { createDatabase, releaseServer, run } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { play } from './play.ts'
import { runsOf } from './runs.ts'
import { refs, script } from './script.ts'

after(releaseServer)

const inModel = async (now: () => number) => openInMemoryStore({ now })

test('SQLite returns what the model returns for every script, at every position', async () => {
  const folder = createFolder()
  let files = 0
  try {
    const open = async (now: () => number) => openSqlite({ path: folder.file(`${++files}.db`), now })
    const property = fc.asyncProperty(script, async (commands) => {
      const [model, real] = [await play(inModel, commands), await play(open, commands)]
      assert.deepEqual(real.answers, model.answers)
      assert.deepEqual(real.readings, model.readings)
    })
    await fc.assert(property, { numRuns: runsOf(120) })
  } finally {
    folder.remove()
  }
})

test('PostgreSQL returns what the model returns for every script, at every position', async () => {
  const database = await createDatabase()
  try {
    // One database for all scripts: emptying it is much faster than making one.
    const open = async (now: () => number) => {
      const storage = await openPostgres({ url: database.url, now, connectionsMax: 2 })
      await run(
        database.url,
        `do $$ begin
           execute (select 'truncate ' || string_agg(format('%I', tablename), ', ') from pg_tables
                     where schemaname = 'public' and tablename <> 'schema_migration');
         end $$`,
      )
      return storage
    }
    const property = fc.asyncProperty(script, async (commands) => {
      const [model, real] = [await play(inModel, commands), await play(open, commands)]
      assert.deepEqual(real.answers, model.answers)
      assert.deepEqual(real.readings, model.readings)
    })
    await fc.assert(property, { numRuns: runsOf(40) })
  } finally {
    await database.drop()
  }
})

test('a read at an earlier position returns what was read then, without what has expired', async () => {
  const property = fc.asyncProperty(script, async (commands) => {
    const { seenLive, readings } = await play(inModel, commands)
    const lists = readings.filter(
      (reading): reading is { asOf: number; ref: string; list: { entries: { id: string }[] } } => {
        return typeof reading === 'object' && reading !== null && 'asOf' in reading
      },
    )
    for (const { asOf, ref, list } of lists) {
      const live = seenLive.get(`${asOf} ${ref}`)
      if (!live) continue
      // The clock may have moved either way between both reads; entries that were expired in neither must be equal.
      const immortal = (entries: readonly object[]) => entries.filter((entry) => !('expiresAt' in entry))
      assert.deepEqual(immortal(list.entries), immortal(live))
    }
    assert.ok(refs.length > 0)
  })
  await fc.assert(property, { numRuns: runsOf(60) })
})
