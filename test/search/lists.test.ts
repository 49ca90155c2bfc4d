import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { type Send, sendBy } from '../../src/adapters/postgres/connection.ts'
import { newestRows } from '../../src/adapters/postgres/newest-rows.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { appendNewest, segmentRows, unpackRows } from '../../src/adapters/postgres/packed-rows.ts'
import { keysOf } from '../../src/adapters/postgres/search-blocks.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { limits } from '../../src/core/limits.ts'
import { composeColophon } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { batchOf } from '../contract/suite/batch.ts'
import { figures, find, memoryRef, tenantId, texts } from '../contract/suite/search-calls.ts'
import { createDatabase, releaseServer, run } from '../support/databases.ts'
import { createRandom } from '../support/random.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { isThorough } from '../support/thorough.ts'

after(releaseServer)

const fullSegments = isThorough ? 2 : 1
const entries = fullSegments * segmentRows + 300
const start = Date.parse('2026-01-01T00:00:00Z')

/** More rows than a segment holds, in both databases, changed in the same way: both must give the same hits. */
test('posting lists over several segments give the results of SQLite, and contain exactly the rows', async () => {
  const database = await createDatabase()
  const postgres = await openPostgres({ url: database.url, now: () => start })
  const folder = createFolder()
  const sqlite = openSqlite({ path: folder.file('colophon.db'), now: () => start })
  const both = [postgres, sqlite]
  try {
    await fill(postgres, sqlite)
    const marks: number[] = []
    const compare = async () => {
      marks.push((await postgres.clock(tenantId))?.position ?? 0)
      for (const position of marks) await compareAnswers(postgres, sqlite, position)
      await compareLists(postgres, database.url)
    }
    await compare()
    await readPrefix(database.url)
    const stored = await versionsOf(postgres)
    const random = createRandom(3)
    const chosen = stored.filter(() => random() < 0.05)
    for (const storage of both)
      await rewrite(
        storage,
        chosen.slice(0, 40).map(({ content }) => content),
      )
    await compare()
    for (const storage of both) await erase(storage, (content) => chosen.some((one) => one.content === content))
    // Nearly a whole segment: the remaining rows are found behind it.
    for (const storage of both)
      await erase(storage, (_, at) => at > segmentRows / 2 && at < (fullSegments - 0.2) * segmentRows && at % 50 > 0)
    await compare()
    await erase(postgres, () => true)
    for (const table of ['search_list', 'search_block', 'search_progress', 'search_scope'])
      assert.deepEqual(await run(database.url, `select memory_ref from ${table}`), [], table)
  } finally {
    for (const storage of both) await storage.close()
    await database.drop()
    folder.remove()
  }
})

/** Words with the frequencies of natural text. A number of its own makes each entry distinct. */
async function fill(...storages: readonly Storage[]): Promise<void> {
  const random = createRandom(5)
  const word = () => `w${Math.floor(400 ** random()).toString(36)}o`
  const drafts = Array.from({ length: entries }, (_, nth) => ({
    content: `${word()} ${word()} ${word()} n${nth}`,
    tags: nth % 7 === 0 ? ['seventh'] : nth % 1_000 === 1 ? ['rare'] : [],
  }))
  for (const storage of storages) {
    const memory = composeColophon(
      storage,
      nodeSystem(() => start),
      'test',
    ).memory(tenantId)
    for (let from = 0; from < entries; from += limits.batchEntriesMax)
      await memory.putMany(memoryRef, drafts.slice(from, from + limits.batchEntriesMax))
    while ((await storage.search.index(tenantId, memoryRef, 256)) > 0);
  }
}

const shortLists = { postingsMax: 100 }
const longLists = { postingsMax: 3_000, foundMax: 2_000 }

async function compareAnswers(postgres: Storage, sqlite: Storage, position: number): Promise<void> {
  const questions = [
    'w1o',
    'w1o w2o w3o wao',
    'w9o wbio',
    'w1* wa*',
    '"w1o w2o" w3o',
    'n17 n5000 n8400',
    'n80* w4o',
    'nobody',
  ]
  for (const question of isThorough ? questions : questions.slice(0, 6)) {
    const filters = [{}, { tag: 'seventh' }, { tag: 'rare' }, { tag: 'never' }, { from: start, to: start + 1 }]
    for (const filter of isThorough ? filters : filters.slice(0, 3)) {
      for (const asked of isThorough ? [{}, shortLists, longLists] : [shortLists]) {
        const answers = []
        for (const storage of [postgres, sqlite]) {
          const found = await find(storage, question, { ...asked, filter, position })
          answers.push({ ...figures(found), texts: texts(found) })
        }
        assert.deepEqual(answers[0], answers[1], `${question} ${JSON.stringify({ ...asked, filter, position })}`)
      }
    }
  }
}

/** Every entry has a word of its own that begins so: what comes back must not be as long as the list of those words. */
async function readPrefix(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    let rows = 0
    const send = async (...asked: Parameters<Send>) => {
      const answer = await sendBy(client, 'none')(...asked)
      rows += answer.rows.length
      return answer
    }
    const asked = [{ term: { stem: 'n', prefix: true }, max: entries }]
    const found = await newestRows({ send: send as Send }, { tenantId, memoryRef, newest: entries }, asked, null)
    assert.equal(found?.[0]?.rows.length, entries)
    assert.equal(rows, fullSegments + 2, 'one for each segment, and the progress')
  } finally {
    await client.end()
  }
}

/** What lists and blocks must contain, computed from the versions. */
async function compareLists(storage: Storage, url: string): Promise<void> {
  const expected = new Map<string, number[]>()
  const numbers = await run(url, 'select entry_id, nth from entry_version order by nth')
  const versions = new Map((await versionsOf(storage)).map((version) => [version.entryId, version]))
  for (const { entry_id, nth } of numbers) {
    const version = versions.get(String(entry_id))
    assert.ok(version)
    for (const key of keysOf(version)) expected.set(key, [...(expected.get(key) ?? []), Number(nth)])
  }
  const lists = await run(
    url,
    `select key, stretch, row_count, rows, 0 as nth from search_list
      union all
     select k.key, stretch, k.row_count, k.rows, nth
       from search_block, unnest(keys, row_counts, rows) as k (key, row_count, rows)
      order by key, stretch, nth`,
  )
  const held = new Map<string, number[]>()
  for (const { key, stretch, row_count, rows } of lists) {
    const nths: number[] = []
    appendNewest(nths, unpackRows(rows as Buffer), Number(stretch), Number.POSITIVE_INFINITY, segmentRows)
    assert.equal(nths.length, row_count)
    held.set(String(key), [...(held.get(String(key)) ?? []), ...nths.reverse()])
  }
  assert.deepEqual(held, new Map([...expected].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))))
}

async function versionsOf(storage: Storage) {
  const all = []
  let after: Parameters<Storage['scanVersions']>[0]['after'] = null
  for (;;) {
    const page = await storage.scanVersions({ tenantId, after, limit: 1_000 })
    all.push(...page)
    const last = page.at(-1)
    if (last === undefined) return all.sort((a, b) => a.createdPosition - b.createdPosition || a.ordinal - b.ordinal)
    after = last
  }
}

async function rewrite(storage: Storage, contents: readonly string[]): Promise<void> {
  const wanted = (await versionsOf(storage)).filter(({ content }) => contents.includes(content))
  for (const { entryId, version, content, salt } of wanted) {
    const [first, , ...others] = content.split(' ')
    const changed = {
      content: `${first} [REDACTED:b] ${others.join(' ')}`,
      tags: ['rare'],
      readSalt: salt,
      salt: `${salt}x`,
    }
    await storage.commit(
      batchOf({ tenantId, kind: 'memory.redacted', rewrites: [{ memoryRef, entryId, version, ...changed }] }),
    )
  }
}

async function erase(storage: Storage, isGone: (content: string, at: number) => boolean): Promise<void> {
  const gone = (await versionsOf(storage)).filter(({ content }, at) => isGone(content, at))
  for (let from = 0; from < gone.length; from += 500) {
    const erasures = gone.slice(from, from + 500).map(({ entryId, version }) => ({ memoryRef, entryId, version }))
    await storage.commit(batchOf({ tenantId, kind: 'memory.erased', erasures }))
  }
}
