import type { VersionKey } from '../../core/commit/batch.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { termRules } from '../../core/search/indexed-terms.ts'
import type { SearchStore, UnindexedRef } from '../../ports/search-store.ts'
import { toVersion, type VersionRow, versionColumns } from '../sql/version-rows.ts'
import { host, type Queryable, query, type Send, statement, type Transaction, tenantOfCall } from './connection.ts'
import type { Database } from './database.ts'
import {
  addBlocks,
  batchesMax,
  blockKeysMax,
  countBlocks,
  type KeyedRow,
  keysOf,
  mergeBlocks,
} from './search-blocks.ts'
import { returnToLists, takeFromLists } from './search-lists.ts'

/** The rules by which this program makes keys. They rise with its own rules, and with the Unicode of its Node: that knows other letters. */
export const keyRules = 1_000 * termRules + Math.round(10 * Number(process.versions.unicode ?? 0))

/** A stored version with its number in its ref. */
export type NumberedVersion = EntryVersion & { readonly nth: number }

const toListed = (version: NumberedVersion) => ({ ...version, keys: keysOf(version) })

/**
 * Before versions of these refs are rewritten or erased. The versions are locked first; the indexer waits for no version, so
 * there is no deadlock. Afterwards every indexed row is in the lists, by the keys that this program makes.
 */
export function lockIndex(send: Send, tenantId: string, versions: readonly VersionKey[]): Promise<unknown>[] {
  const refs = refsOf(versions)
  return [
    send(sql.lockProgress, [tenantId, refs, keyRules]),
    ...resetRefs(send, tenantId, refs, 'outdated'),
    ...mergeBlocks(send, tenantId, refs),
  ]
}

/** Takes versions out of the index, as they were stored until now. */
export function takeFromIndex(send: Send, tenantId: string, versions: readonly NumberedVersion[]): Promise<unknown>[] {
  return takeFromLists(send, tenantId, versions.map(toListed))
}

/** Puts a version back that was taken out, with its new text. */
export function returnToIndex(send: Send, tenantId: string, version: NumberedVersion): Promise<unknown> {
  return returnToLists(send, tenantId, toListed(version))
}

/** After erased versions were deleted. */
export function shrinkIndex(send: Send, tenantId: string, versions: readonly NumberedVersion[]): Promise<unknown>[] {
  const refs = refsOf(versions)
  return [
    send(sql.shrink, [tenantId, versions.map((v) => v.memoryRef), versions.map((v) => v.nth)]),
    send(sql.dropProgress, [tenantId, refs]),
    send(sql.dropScopes, [tenantId, refs]),
  ]
}

const refsOf = (versions: readonly VersionKey[]) => [...new Set(versions.map((v) => v.memoryRef))]

/** Keys of one step: a text may have ten thousand, and a step must not take longer than a statement may. */
const keysPerStep = 50_000

/** Indexes the oldest unindexed rows of a ref, long texts in several steps. */
export async function indexRows(
  database: Database,
  tenantId: string,
  memoryRef: string,
  rowsMax: number,
): Promise<number> {
  let done = 0
  for (let asked = rowsMax; ; ) {
    const step = await database.transaction(host, 'index', (tx) => indexStep(tx, tenantId, memoryRef, asked))
    done += step.rows
    if (!step.isCut || done >= rowsMax) return done
    asked = step.rows === 0 ? rowsMax : Math.min(2 * step.rows, rowsMax - done)
  }
}

type ProgressRow = { indexed: number; rules: number }
type UnindexedRow = VersionRow & { nth: number }

async function indexStep({ send, commit }: Transaction, tenantId: string, memoryRef: string, rowsMax: number) {
  const [locked, scope, unindexed, blocks] = await Promise.all([
    send<ProgressRow>(sql.beginProgress, [tenantId, memoryRef, keyRules]),
    send<{ newest: number }>(sql.newest, [tenantId, memoryRef]),
    send<UnindexedRow>(sql.unindexed, [tenantId, memoryRef, rowsMax]),
    countBlocks(send, tenantId, memoryRef),
  ])
  const [progress] = locked.rows
  const [newest] = scope.rows
  // A ref whose last version was erased has no scope: then the row that was just made of its progress is not committed either.
  if (progress === undefined || newest === undefined || progress.rules > keyRules) return { rows: 0, isCut: false }
  if (progress.rules < keyRules) {
    await commit(...resetRefs(send, tenantId, [memoryRef], 'outdated'))
    return { rows: 0, isCut: true }
  }
  const rows = readRows(unindexed.rows)
  const isCut = rows.length < unindexed.rows.length
  // Numbers of erased rows are passed over.
  const indexed = isCut || rows.length === rowsMax ? (rows.at(-1)?.nth ?? 0) : newest.newest
  if (indexed === progress.indexed) return { rows: 0, isCut: false }
  const { batches = 0, keys = 0 } = blocks.rows[0] ?? {}
  const isFull = batches >= batchesMax || keys >= blockKeysMax
  await commit(
    ...(isFull ? mergeBlocks(send, tenantId, [memoryRef]) : []),
    ...addBlocks(send, tenantId, memoryRef, rows),
    send(sql.saveProgress, [tenantId, memoryRef, indexed, rows.length]),
  )
  return { rows: rows.length, isCut }
}

/** The first of them, and as many more as make no more keys than one step may have. */
function readRows(unindexed: readonly UnindexedRow[]): KeyedRow[] {
  const read: KeyedRow[] = []
  let count = 0
  for (const row of unindexed) {
    const keys = keysOf(toVersion(row))
    count += keys.length
    if (count > keysPerStep && read.length > 0) break
    read.push({ nth: row.nth, keys })
  }
  return read
}

/** Empties the index of refs. They are then indexed again, a few rows at a time, like new ones. */
export function resetIndex(send: Send, tenantId: string, memoryRefs: readonly string[]): Promise<unknown>[] {
  return [send(sql.lockProgress, [tenantId, memoryRefs, keyRules]), ...resetRefs(send, tenantId, memoryRefs, 'all')]
}

/** Of those refs whose index was made by other rules, or of all of them. Their progress is locked. */
function resetRefs(
  send: Send,
  tenantId: string,
  memoryRefs: readonly string[],
  which: 'outdated' | 'all',
): Promise<unknown>[] {
  const values = [tenantId, memoryRefs, keyRules, which === 'all']
  // The progress last: it says which refs these are.
  return [sql.emptyBlocks, sql.emptyLists, sql.reset].map((what) => send(what, values))
}

/** Tenant by tenant: each with a statement of its own, wherever its rows are in the table. */
export async function unindexedRefs(
  database: Queryable,
  { after, rowsMax, limit }: Parameters<SearchStore['unindexed']>[0],
): Promise<UnindexedRef[]> {
  const found: UnindexedRef[] = []
  let from: { tenantId: string; memoryRef: string } | null = after
  while (found.length < limit) {
    if (from !== null) {
      const { tenantId, memoryRef } = from
      const values = [tenantId, memoryRef, keyRules, rowsMax, limit - found.length]
      const rows = await query<{ memory_ref: string; rows: number }>(database, sql.unindexedRefs, values)
      found.push(...rows.map((row) => ({ tenantId, memoryRef: row.memory_ref, rows: row.rows })))
      if (found.length === limit) break
    }
    const [next] = await query<{ tenant_id: string }>(database, sql.unindexedTenant, [from?.tenantId ?? '', keyRules])
    if (!next) break
    from = { tenantId: next.tenant_id, memoryRef: '' }
  }
  return found
}

/** Up to which number a ref is indexed, by rules that this program can use. */
const indexedIn = (tenant: string, rules: string) => `coalesce((
          select p.indexed
            from search_progress p
           where p.tenant_id = ${tenant}
             and p.memory_ref = s.memory_ref
             and p.rules >= ${rules}), 0)`

const isReset = `memory_ref = any($2::text[])
             and (rules <> $3::bigint or $4::boolean)`
/** By a list of refs, not by a join: of that the planner would read every list of the tenant. */
const isOfReset = `memory_ref = any(array(select memory_ref from search_progress where tenant_id = $1 and ${isReset}))`

export const hasNoVersions = (row: string) => `(
        select 1
          from entry_version v
         where v.tenant_id = $1
           and v.memory_ref = ${row}.memory_ref
           and v.nth > 0
         limit 1) is null`

const sql = {
  // Also where there is none yet: of two processes that index or erase in a ref, one waits here.
  beginProgress: statement(
    'search_begin_progress',
    `insert into search_progress as p (tenant_id, memory_ref, indexed, row_count, rules)
     select s.tenant_id, s.memory_ref, 0, 0, $3::bigint
       from search_scope s
      where s.tenant_id = $1
        and s.memory_ref = $2
         on conflict (tenant_id, memory_ref) do update
        set indexed = p.indexed
     returning indexed, rules`,
  ),
  lockProgress: statement(
    'search_lock_progress',
    `insert into search_progress as p (tenant_id, memory_ref, indexed, row_count, rules)
     select c.tenant_id, r.memory_ref, 0, 0, $3::bigint
       from ${tenantOfCall}, unnest($2::text[]) as r (memory_ref)
      order by r.memory_ref
         on conflict (tenant_id, memory_ref) do update
        set indexed = p.indexed`,
  ),
  newest: statement('search_newest', 'select newest from search_scope where tenant_id = $1 and memory_ref = $2'),
  // A statement that sees the newest number of a ref also sees the versions up to it: one commit stores both. So what is read after
  // that number has all of them.
  unindexed: statement(
    'search_unindexed',
    `select ${versionColumns.replace(/\w+/g, 'v.$&')}, v.nth
       from entry_version v
      where v.tenant_id = $1
        and v.memory_ref = $2
        and v.nth > 0
        and v.nth > (select p.indexed from search_progress p where p.tenant_id = $1 and p.memory_ref = $2)
      order by v.nth
      limit $3`,
  ),
  saveProgress: statement(
    'search_save_progress',
    `update search_progress
        set indexed = $3, row_count = row_count + $4
      where tenant_id = $1
        and memory_ref = $2`,
  ),
  shrink: statement(
    'search_shrink',
    `update search_progress p
        set row_count = p.row_count - (
              select count(*)
                from unnest($2::text[], $3::bigint[]) as gone (memory_ref, nth)
               where gone.memory_ref = p.memory_ref
                 and gone.nth <= p.indexed)
      where p.tenant_id = $1
        and p.memory_ref = any($2::text[])`,
  ),
  // A ref may name a person: when no version of it is left, its name is deleted too.
  dropProgress: statement(
    'search_drop_progress',
    `delete from search_progress p where p.tenant_id = $1 and p.memory_ref = any($2::text[]) and ${hasNoVersions('p')}`,
  ),
  dropScopes: statement(
    'search_drop_scopes',
    `delete from search_scope s where s.tenant_id = $1 and s.memory_ref = any($2::text[]) and ${hasNoVersions('s')}`,
  ),
  emptyBlocks: statement('search_empty_blocks', `delete from search_block where tenant_id = $1 and ${isOfReset}`),
  emptyLists: statement('search_empty_lists', `delete from search_list where tenant_id = $1 and ${isOfReset}`),
  reset: statement(
    'search_reset',
    `update search_progress
        set indexed = 0, row_count = 0, rules = $3::bigint
      where tenant_id = $1
        and ${isReset}`,
  ),
  unindexedTenant: statement(
    'search_unindexed_tenant',
    `select s.tenant_id
       from search_scope s
      where s.tenant_id > $1
        and s.newest > ${indexedIn('s.tenant_id', '$2')}
      order by s.tenant_id
      limit 1`,
    { isAcrossTenants: true },
  ),
  unindexedRefs: statement(
    'search_unindexed_refs',
    `select s.memory_ref, counted.rows
       from (select s.memory_ref, s.newest, ${indexedIn('$1', '$3')} as indexed
               from search_scope s
              where s.tenant_id = $1
                and s.memory_ref > $2) as s
      cross join lateral (
        select count(*) as rows
          from (select 1
                  from entry_version v
                 where v.tenant_id = $1
                   and v.memory_ref = s.memory_ref
                   and v.nth > 0
                   and v.nth > s.indexed
                 limit $4) as first_rows) as counted
      where s.newest > s.indexed
        and counted.rows > 0
      order by s.memory_ref
      limit $5`,
  ),
}
