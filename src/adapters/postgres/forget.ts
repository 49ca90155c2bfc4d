import type { Outcome } from '../../core/commit/batch.ts'
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
import { query, statement } from './connection.ts'
import type { Database } from './database.ts'
import { fencesAssertion, fencesClaim, fencesEvent, fencesVersion, givenFences } from './fence.ts'
import { countOrphans, removeIndexOrphans } from './search-orphans.ts'
import { countTags, removeTagOrphans } from './tag-orphans.ts'
import { firstTagKey } from './tag-rows.ts'

export function createForgetStore(database: Database): ForgetStore {
  return {
    async fences(tenantId) {
      return (await query<FenceRow>(database, sql.fences, [tenantId])).map(toFence)
    },
    async scan({ tenantId, fences, after, limit }) {
      const from = after ?? { entryId: '', version: 0 }
      const values = [tenantId, JSON.stringify(fences), from.entryId, from.version, limit]
      const rows = await query<ScannedRow>(database, sql.scan, values)
      const last = rows.at(-1)
      return {
        versions: rows.filter((row) => row.is_fenced).map(toFencedVersion),
        next: last && rows.length === limit ? { entryId: last.entry_id, version: last.version } : null,
      }
    },
    async among(tenantId, fences, entryIds) {
      const rows = await query<ScannedRow>(database, sql.among, [tenantId, JSON.stringify(fences), entryIds])
      return rows.map(toFencedVersion)
    },
    async sources({ tenantId, fences, after, limit }) {
      const values = [tenantId, JSON.stringify(fences), after ?? '', limit]
      return (await query<FencedSourceRow>(database, sql.sources, values)).map(toFencedSource)
    },
    async claims({ tenantId, fences, after, limit }) {
      const values = [tenantId, JSON.stringify(fences), after ?? '', limit]
      const rows = await query<Row & { assertions: number }>(database, sql.claims, values)
      return rows.map((row) => ({ claim: claimRows.fromRow(row), assertions: row.assertions }))
    },
    async runsNaming({ tenantId, texts, after, limit }) {
      const values = [tenantId, texts.map(asJsonString), after ?? '', limit]
      return toNamedRuns(await query<NamedRunRow>(database, sql.runsNaming, values), limit)
    },
    async contents(tenantId, entryIds) {
      const rows = await query<{ content: string }>(database, sql.contents, [tenantId, entryIds])
      return rows.map(({ content }) => content)
    },
    async outcomes({ tenantId, after, limit }) {
      const rows = await query<{ key: string; outcome: string }>(database, sql.outcomes, [tenantId, after ?? '', limit])
      return rows.map(({ key, outcome }) => ({ key, outcome: JSON.parse(outcome) as Outcome }))
    },
    async leftovers(tenantId, fences) {
      const given = [tenantId, JSON.stringify(fences)]
      const counts = Object.entries(leftovers).map(async ([name, what]) => {
        // Counting tags reads all of the tenant, and other kinds of fences name none.
        if (name === 'tags' && !fences.some(({ kind }) => kind === 'tag' || kind === 'ref')) return [name, 0]
        const values = name === 'tags' ? [...given, firstTagKey(tenantId)] : given
        const [row] = await query<{ count: number }>(database, what, values)
        return [name, row?.count ?? 0]
      })
      return Object.fromEntries(await Promise.all(counts)) as Leftovers
    },
    async removeOrphans(tenantId, limit) {
      const indexed = await removeIndexOrphans(database, tenantId, limit)
      const removed = await Promise.all(removeOrphanRows.map((what) => query(database, what, [tenantId, limit])))
      return removed.reduce((sum, rows) => sum + rows.length, indexed)
    },
    // Rows that were deleted stay in the files until PostgreSQL reuses the space and recycles its log.
    async purge() {
      return 'pending-vacuum-and-wal'
    },
  }
}

const given = `given as materialized (${givenFences('$2')})`
const anyGiven = (condition: string) => `exists (select 1 from given f where ${condition})`
const scanned = `memory_ref, entry_id, version, claim_id, origin::json ->> 'sourceEventId' as origin_event,
       json_array_length(tags::json) as tags, readers`

const sql = {
  fences: statement(
    'fences',
    `select ${fenceColumns} from fence where tenant_id = $1 order by forget_id, kind, value, from_sequence`,
  ),
  // The page first: the number of rows it examines is bounded, however few of them are fenced.
  scan: statement(
    'scan_fenced',
    `with ${given},
          page as materialized (
            select *
              from entry_version
             where tenant_id = $1
               and (entry_id, version) > ($3, $4)
             order by entry_id, version
             limit $5)
     select ${scanned}, ${anyGiven(fencesVersion('v'))} as is_fenced
       from page v
      order by entry_id, version`,
  ),
  among: statement(
    'fenced_among',
    `with ${given}
     select ${scanned}, true as is_fenced
       from entry_version v
      where tenant_id = $1
        and entry_id = any($3)
        and ${anyGiven(fencesVersion('v'))}
      order by entry_id, version`,
  ),
  sources: statement(
    'fenced_sources',
    `with ${given}
     select source_event_id, service, event_id, job_id, messages is not null as has_messages
       from source_event e
      where tenant_id = $1
        and source_event_id > $3
        and erased_at is null
        and ${anyGiven(fencesEvent('e'))}
      order by source_event_id
      limit $4`,
  ),
  claims: statement(
    'fenced_claims',
    `with ${given}
     select ${claimRows.columns},
            (select count(*) from assertion a where a.tenant_id = $1 and a.claim_id = c.claim_id) as assertions
       from claim c
      where tenant_id = $1
        and claim_id > $3
        and ${anyGiven(`c.updated_position <= f.position and ${fencesClaim('c')}`)}
      order by claim_id
      limit $4`,
  ),
  runsNaming: statement(
    'runs_naming',
    `with page as materialized (
            select run_id, text, facts
              from run
             where tenant_id = $1
               and run_id > $3
             order by run_id
             limit $4)
     select run_id,
            exists (
              select 1
                from unnest($2::text[]) as wanted (value)
               where strpos(r.text, wanted.value) > 0
                  or strpos(r.facts, wanted.value) > 0
                  or exists (
                       select 1
                         from run_event e
                        where e.tenant_id = $1
                          and e.run_id = r.run_id
                          and strpos(e.payload, wanted.value) > 0)) as is_named
       from page r
      order by run_id`,
  ),
  contents: statement('contents', 'select content from entry_version where tenant_id = $1 and entry_id = any($2)'),
  outcomes: statement(
    'scan_outcomes',
    'select key, outcome from idempotency where tenant_id = $1 and key > $2 order by key limit $3',
  ),
}

const removeOrphanRows = [
  removeTagOrphans,
  statement(
    'remove_orphan_vectors',
    `delete from entry_vector
      where tenant_id = $1
        and (memory_ref, created_position, ordinal, version) in (
          select memory_ref, created_position, ordinal, version
            from entry_vector r
           where r.tenant_id = $1
             and ${hasNoVersion('r', '$1')}
           limit $2)
     returning 1`,
    { isScan: true },
  ),
]

const count = (name: string, table: string, alias: string, where: string) =>
  statement(
    `left_${name}`,
    `with ${given} select count(*) as count from ${table} ${alias} where ${alias}.tenant_id = $1 and ${where}`,
    { isScan: true },
  )

const leftovers = {
  entries: count('entries', 'entry_version', 'v', anyGiven(fencesVersion('v'))),
  tags: countTags,
  sourceEvents: count('sources', 'source_event', 'e', `e.erased_at is null and ${anyGiven(fencesEvent('e'))}`),
  assertions: count('assertions', 'assertion', 'a', anyGiven(fencesAssertion('a'))),
  claims: count('claims', 'claim', 'c', anyGiven(`c.updated_position <= f.position and ${fencesClaim('c')}`)),
  auditRefs: count(
    'audit_refs',
    'audit',
    'a',
    `a.refs is not null and ${anyGiven(
      "a.position <= f.position and f.kind = 'ref' and exists (select 1 from json_array_elements_text(a.refs::json) as r where r = f.value)",
    )}`,
  ),
  searchRows: statement('left_search_rows', `with ${given} ${countOrphans}`, { isScan: true }),
  vectors: count('vectors', 'entry_vector', 'r', hasNoVersion('r', '$1')),
}
