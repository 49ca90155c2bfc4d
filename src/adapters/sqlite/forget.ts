import { existsSync, statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import type { Outcome } from '../../core/commit/batch.ts'
import { ColophonError } from '../../core/errors.ts'
import type { ForgetStore, Leftovers } from '../../ports/forget-store.ts'
import {
  asJsonString,
  type FencedSourceRow,
  type FenceRow,
  fenceColumns,
  hasNoVersion,
  type NamedRunRow,
  type ScannedRow,
  toFence,
  toFencedSource,
  toFencedVersion,
  toNamedRuns,
} from '../sql/forget-rows.ts'
import { claimRows } from '../sql/provenance-rows.ts'
import type { Row } from '../sql/row-codec.ts'
import { fencesAssertion, fencesClaim, fencesEvent, fencesVersion, givenFences } from './fence.ts'
import type { PostingCache } from './posting-cache.ts'
import type { Scans } from './scans.ts'
import { countSearchOrphans, prepareSearchOrphans } from './search-orphans.ts'

const checkpointAttempts = 50

type Parts = {
  readonly reader: Database
  readonly writer: Database
  readonly scans: Scans
  readonly path: string
  readonly answer: <T>(work: () => T) => Promise<T>
  readonly postings: Pick<PostingCache, 'clear'>
  readonly entriesPerCommit: () => number
}

export function createForgetStore({
  reader,
  writer,
  scans,
  path,
  answer,
  postings,
  entriesPerCommit,
}: Parts): ForgetStore {
  const sql = prepare(reader)
  const removeOrphans = prepareOrphanRemoval(writer, postings)
  return {
    fences: (tenantId) => answer(() => (sql.fences.all(tenantId) as FenceRow[]).map(toFence)),
    scan: ({ tenantId, fences, after, limit }) =>
      answer(() => {
        const from = after ?? { entryId: '', version: 0 }
        const rows = sql.scan.all({ tenantId, limit, ...from, fences: JSON.stringify(fences) }) as ScannedRow[]
        const last = rows.at(-1)
        return {
          versions: rows.filter((row) => row.is_fenced === 1).map(toFencedVersion),
          next: last && rows.length === limit ? { entryId: last.entry_id, version: last.version } : null,
        }
      }),
    among: (tenantId, fences, entryIds) =>
      answer(() => {
        const query = { tenantId, fences: JSON.stringify(fences), ids: JSON.stringify(entryIds) }
        return (sql.among.all(query) as ScannedRow[]).map(toFencedVersion)
      }),
    entriesPerCommit: async () => entriesPerCommit(),
    sources: ({ after, fences, ...query }) =>
      answer(() => {
        const page = { ...query, after: after ?? '', fences: JSON.stringify(fences) }
        return (sql.sources.all(page) as FencedSourceRow[]).map(toFencedSource)
      }),
    claims: ({ after, fences, ...query }) =>
      answer(() => {
        const page = { ...query, after: after ?? '', fences: JSON.stringify(fences) }
        const rows = sql.claims.all(page) as (Row & { assertions: number })[]
        return rows.map((row) => ({ claim: claimRows.fromRow(row), assertions: row.assertions }))
      }),
    runsNaming: ({ tenantId, texts, after, limit }) =>
      answer(() => {
        const query = { tenantId, limit, after: after ?? '', texts: JSON.stringify(texts.map(asJsonString)) }
        return toNamedRuns(sql.runsNaming.all(query) as NamedRunRow[], limit)
      }),
    contents: (tenantId, entryIds) =>
      answer(() => sql.contents.all({ tenantId, ids: JSON.stringify(entryIds) }) as string[]),
    outcomes: ({ after, ...query }) =>
      answer(() => {
        const rows = sql.outcomes.all({ ...query, after: after ?? '' }) as { key: string; outcome: string }[]
        return rows.map(({ key, outcome }) => ({ key, outcome: JSON.parse(outcome) as Outcome }))
      }),
    async leftovers(tenantId, fences) {
      const params = { tenantId, fences: JSON.stringify(fences) }
      const found = await scans.read(leftovers.map(([, sql]) => ({ sql, params })))
      const counts = leftovers.map(([name], at) => [name, toCount(found[at])])
      return Object.fromEntries(counts) as Leftovers
    },
    removeOrphans: (tenantId, limit) => answer(() => removeOrphans(tenantId, limit)),
    async purge() {
      // Behind a copy of the log that is under way, which would hold the lock.
      await scans.checkpoint().catch(() => {})
      await truncateLog(writer, path, answer)
      return 'erased'
    },
  }
}

/** `hasNoVersion` for a row that names its version by its place. */
const hasNoVersionAtPlace = (row: string, tenant: string) =>
  `not exists (
     select 1
       from entry_version made_of
      where made_of.tenant_id = ${tenant}
        and made_of.memory_ref = ${row}.memory_ref
        and made_of.created_position = ${row}.created_position
        and made_of.ordinal = ${row}.ordinal
        and made_of.version = ${row}.version)`

/** Tables whose rows belong to a version and are deleted one by one: the key after the tenant, and when a row is an orphan. */
const orphanTables = [
  {
    table: 'entry_tag',
    key: 'memory_ref, tag, created_position, ordinal, version',
    isOrphan: (tenant: string) => hasNoVersionAtPlace('r', tenant),
  },
  {
    table: 'entry_vector',
    key: 'memory_ref, created_position, ordinal, version',
    isOrphan: (tenant: string) => hasNoVersion('r', tenant),
  },
] as const

function prepareOrphanRemoval(writer: Database, postings: Pick<PostingCache, 'clear'>) {
  const statements = orphanTables.map(({ table, key, isOrphan }) => {
    // Here the rows of tags have the number of their scope; `entry_tag` is a view of them.
    const [from, rowKey] =
      table === 'entry_tag' ? ['search_tag', key.replace('memory_ref', 'scope_id')] : [table, `tenant_id, ${key}`]
    return writer.prepare(`
      delete from ${from}
       where (${rowKey}) in (
         select ${rowKey}
           from ${table} r
          where r.tenant_id = :tenantId
            and ${isOrphan(':tenantId')}
          limit +:limit)`)
  })
  const removeIndexed = prepareSearchOrphans(writer)
  return writer.transaction((tenantId: string, limit: number): number => {
    postings.clear()
    return statements.reduce(
      (sum, remove) => sum + remove.run({ tenantId, limit }).changes,
      removeIndexed(tenantId, limit),
    )
  }).immediate
}

/** The log still has the pages as they were. It is emptied once no reader uses it, which may take a moment. */
async function truncateLog(writer: Database, path: string, answer: <T>(work: () => T) => Promise<T>): Promise<void> {
  for (let attempt = 1; attempt <= checkpointAttempts; attempt++) {
    const isEmpty = await answer(() => {
      const [result] = writer.pragma('wal_checkpoint(truncate)') as { busy: number }[]
      return result?.busy === 0 && (!existsSync(`${path}-wal`) || statSync(`${path}-wal`).size === 0)
    })
    if (isEmpty) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new ColophonError(
    'storage_busy',
    'Another connection uses the write-ahead log of the database, so it cannot be emptied yet.',
  )
}

const given = `given as materialized (${givenFences})`
const anyGiven = (condition: string) => `exists (select 1 from given f where ${condition})`
const count = (table: string, alias: string, where: string) =>
  `with ${given} select count(*) as count from ${table} ${alias} where ${alias}.tenant_id = :tenantId and ${where}`

const toCount = (rows: readonly unknown[] = []) => (rows as readonly { count: number }[])[0]?.count ?? 0

/** What must be gone after a forget. Each examines every row of the tenant. */
const leftovers = [
  ['entries', count('entry_version', 'v', anyGiven(fencesVersion('v')))],
  [
    'tags',
    count(
      'entry_tag',
      't',
      `${anyGiven("t.created_position <= f.position and case f.kind when 'ref' then t.memory_ref = f.value when 'tag' then t.tag = f.value end")}`,
    ),
  ],
  ['sourceEvents', count('source_event', 'e', `e.erased_at is null and ${anyGiven(fencesEvent('e'))}`)],
  ['assertions', count('assertion', 'a', anyGiven(fencesAssertion('a')))],
  ['claims', count('claim', 'c', anyGiven(`c.updated_position <= f.position and ${fencesClaim('c')}`))],
  [
    'auditRefs',
    count(
      'audit',
      'a',
      anyGiven(
        "a.position <= f.position and f.kind = 'ref' and exists (select 1 from json_each(a.refs) r where r.value = f.value)",
      ),
    ),
  ],
  ['searchRows', `select (${countSearchOrphans}) as count`],
  ['vectors', count('entry_vector', 'r', hasNoVersion('r', ':tenantId'))],
] as const

function prepare(db: Database) {
  return {
    fences: db.prepare(`select ${fenceColumns} from fence where tenant_id = ? order by forget_id, kind, value`),
    // The page first: the number of rows it examines is bounded, however few of them are fenced.
    scan: db.prepare(`
      with ${given},
           page as (
             select *
               from entry_version
              where tenant_id = :tenantId
                and (entry_id, version) > (:entryId, :version)
              order by entry_id, version
              limit +:limit)
      select memory_ref, entry_id, version, claim_id, origin ->> 'sourceEventId' as origin_event,
             json_array_length(tags) as tags, readers,
             ${anyGiven(fencesVersion('v'))} as is_fenced
        from page v
       order by entry_id, version`),
    among: db.prepare(`
      with ${given}
      select memory_ref, entry_id, version, claim_id, origin ->> 'sourceEventId' as origin_event,
             json_array_length(tags) as tags, readers, 1 as is_fenced
        from json_each(:ids) wanted
       cross join entry_version v
       where v.tenant_id = :tenantId
         and v.entry_id = wanted.value
         and ${anyGiven(fencesVersion('v'))}
       order by entry_id, version`),
    sources: db.prepare(`
      with ${given}
      select source_event_id, service, event_id, job_id, messages is not null as has_messages
        from source_event e
       where tenant_id = :tenantId
         and source_event_id > :after
         and erased_at is null
         and ${anyGiven(fencesEvent('e'))}
       order by source_event_id
       limit +:limit`),
    claims: db.prepare(`
      with ${given}
      select ${claimRows.columns},
             (select count(*) from assertion a where a.tenant_id = c.tenant_id and a.claim_id = c.claim_id) as assertions
        from claim c
       where tenant_id = :tenantId
         and claim_id > :after
         and ${anyGiven(`c.updated_position <= f.position and ${fencesClaim('c')}`)}
       order by claim_id
       limit +:limit`),
    runsNaming: db.prepare(`
      with page as (
             select *
               from run
              where tenant_id = :tenantId
                and run_id > :after
              order by run_id
              limit +:limit)
      select run_id,
             exists (
               select 1
                 from json_each(:texts) wanted
                where instr(r.text, wanted.value)
                   or instr(r.facts, wanted.value)
                   or exists (
                        select 1
                          from run_event e
                         where e.tenant_id = r.tenant_id
                           and e.run_id = r.run_id
                           and instr(e.payload, wanted.value))) as is_named
        from page r
       order by run_id`),
    contents: db
      .prepare(`
      select v.content
        from json_each(:ids) wanted
       cross join entry_version v
       where v.tenant_id = :tenantId
         and v.entry_id = wanted.value`)
      .pluck(),
    outcomes: db.prepare(
      'select key, outcome from idempotency where tenant_id = :tenantId and key > :after order by key limit +:limit',
    ),
  }
}
