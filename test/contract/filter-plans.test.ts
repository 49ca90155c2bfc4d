import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import BetterSqlite from 'better-sqlite3'
import { filterSql as postgresFilter } from '../../src/adapters/postgres/filter.ts'
import { listsAt } from '../../src/adapters/postgres/list-statements.ts'
import { listAll } from '../../src/adapters/postgres/provenance-statements.ts'
import { filterSql } from '../../src/adapters/sqlite/filter.ts'
import { filteredLists } from '../../src/adapters/sqlite/list-statements.ts'
import { listAll as listAllOfSqlite } from '../../src/adapters/sqlite/provenance-statements.ts'
import { parseFilter } from '../../src/core/filter/parse-filter.ts'
import { openColophon } from '../../src/index.ts'
import { createDatabase, releaseServer, run } from '../support/databases.ts'
import { openPlanner } from '../support/generic-plan.ts'
import { createFolder } from '../support/temporary-folder.ts'

after(releaseServer)

const filter = parseFilter({ confidence: { gte: 0.5 }, metadata: { plan: 'pro' }, not: { tag: 'a' } })
const byWriter = parseFilter({ writer: 'crm', observed: { gte: '2026-01-01T00:00:00Z' } })
const notes = Array.from({ length: 1_000 }, (_, nth) => ({ content: `note ${nth}`, tags: ['t'] }))

test('SQLite reads a filtered list between two places of an index, and does not sort it', async () => {
  const folder = createFolder()
  const path = folder.file('plans.db')
  const colophon = await openColophon({ path })
  await colophon.memory('acme').putMany('notes', notes)
  await colophon.close()
  const db = new BetterSqlite(path, { readonly: true })
  const { condition } = filterSql(filter)
  const { at, tagAt } = filteredLists(condition)
  const planOf = (text: string) =>
    (db.prepare(`explain query plan ${text.replaceAll(/:\w+/g, '1')}`).all() as { detail: string }[])
      .map(({ detail }) => detail)
      .join('\n')
  const between =
    '(?:memory_ref|tag)=\\?.* AND \\(created_position,ordinal\\)>\\(\\?,\\?\\) AND \\(created_position,ordinal\\)<'
  for (const [text, row] of [
    [at, 'v'],
    [tagAt, 't'],
  ] as const) {
    const plan = planOf(text)
    assert.match(plan, new RegExp(`SEARCH ${row} USING .*${between}`), plan)
    assert.doesNotMatch(plan, /TEMP B-TREE FOR ORDER BY|SCAN (?:v|t|e)\b/, plan)
    assert.match(plan, /SEARCH e USING .*\(tenant_id=\? AND source_event_id=\?\)/, plan)
  }
  // Who states an entry: every lookup is of one entry and one content, so that a claim with many contents costs no more.
  for (const form of [
    listAllOfSqlite(`and ${filterSql(byWriter).condition}`),
    filteredLists(filterSql(byWriter).condition).at,
  ]) {
    const stated = planOf(form)
    assert.doesNotMatch(stated, /SCAN (?:v|a|o)\b/, stated)
    assert.match(
      stated,
      /SEARCH o USING INDEX assertion_by_entry \(tenant_id=\? AND claim_id=\? AND entry_id=\?\)/,
      stated,
    )
    const supporters = stated.match(/SEARCH a USING INDEX assertion_by_entry \(.*content_key=\?\)/g)
    assert.equal(supporters?.length, 4, stated)
  }
  // With superseded ones: whether a version has a later one is a lookup by id, not a scan of what was recorded.
  const all = planOf(listAllOfSqlite())
  assert.match(all, /SEARCH later USING .*entry_version_by_id \(tenant_id=\? AND entry_id=\? AND version>\?\)/, all)
  db.close()
  folder.remove()
})

/** Claims with many contents beside many with one. */
const manyAssertions = `
  insert into assertion (tenant_id, claim_id, ordinal, source_event_id, candidate, content, content_key, importance, confidence,
                         priority, observed_at, entry_id, recorded_position)
  select 'acme', 'clm_' || case when n < 3000 then n % 3 else n end, n, 'src_' || n, 0, 'says', 'key ' || n, 5, 1, 0, 1, 'mem_' || n, 1
    from generate_series(1, 6000) n`

test('PostgreSQL reads a filtered list by its keys', async () => {
  const database = await createDatabase()
  const colophon = await openColophon({ databaseUrl: database.url })
  await colophon.memory('acme').putMany('notes', notes)
  await run(database.url, manyAssertions)
  await run(database.url, 'analyze entry_version, entry_tag, source_event, assertion')
  const by = (given: number) => ({
    condition: postgresFilter(filter, given).condition,
    toPosition: `$${given - 1}`,
    toOrdinal: `$${given}`,
  })
  const planner = await openPlanner(database.url)
  for (const text of [listsAt(by(11)).listAt, listsAt(by(12)).listTagAt, listsAt(by(12)).listOwn, listAll(by(11))]) {
    const plan = await planner.planOf(text)
    assert.doesNotMatch(plan, /Seq Scan on (?:entry_version|entry_tag)|entry_version_by_recording/, plan)
  }
  const stated = { ...by(11), condition: postgresFilter(byWriter, 11).condition }
  for (const text of [listsAt(stated).listAt, listAll(stated)]) {
    const plan = await planner.planOf(text)
    assert.doesNotMatch(plan, /Seq Scan on (?:entry_version|assertion)|assertion_pkey/, plan)
    assert.match(
      plan,
      /Index Scan using assertion_by_entry on assertion o.*\n\s*Index Cond: .*entry_id = v_1\.entry_id/,
      plan,
    )
  }
  await planner.close()
  await colophon.close()
  await database.drop()
})
