import { lockClock } from './commit-statements.ts'
import { query, statement } from './connection.ts'
import type { Database } from './database.ts'
import { hasNoVersions, resetIndex } from './search-table.ts'

/**
 * Empties the index of refs that have rows in it whose version is no longer stored; returns how many. No commit leaves such rows. Their
 * text is gone, and with it their keys, so the whole ref is indexed again. No commit may run meanwhile: it would number
 * versions in a ref that is dropped here because it has none.
 */
export async function removeIndexOrphans(database: Database, tenantId: string, limit: number): Promise<number> {
  // Without the lock: to count the rows of all refs may take minutes. Those that have orphans are counted again under it.
  const found = await query<{ memory_ref: string }>(database, sql.candidates, [tenantId, limit])
  if (found.length === 0) return 0
  const candidates = found.map(({ memory_ref }) => memory_ref)
  return database.transaction(tenantId, 'writes', async ({ send, commit }) => {
    const [, { rows }] = await Promise.all([
      send(lockClock, [tenantId]),
      send<{ memory_ref: string; rows: number }>(sql.orphans, [tenantId, candidates]),
    ])
    const refs = rows.map(({ memory_ref }) => memory_ref)
    await commit(
      ...resetIndex(send, tenantId, refs),
      send(sql.dropEmptyProgress, [tenantId]),
      send(sql.dropEmptyScopes, [tenantId]),
    )
    return rows.reduce((sum, row) => sum + row.rows, 0)
  })
}

const orphansOf = `p.row_count - (
              select count(*)
                from entry_version v
               where v.tenant_id = $1
                 and v.memory_ref = p.memory_ref
                 and v.nth > 0
                 and v.nth <= p.indexed)`

/** How many there are in a tenant. */
export const countOrphans = `select coalesce(sum(${orphansOf}), 0)::bigint as count from search_progress p where p.tenant_id = $1`

const sql = {
  candidates: statement(
    'search_orphan_refs',
    `select p.memory_ref from search_progress p where p.tenant_id = $1 and ${orphansOf} > 0 limit $2`,
    { isScan: true },
  ),
  orphans: statement(
    'search_orphans',
    `select memory_ref, rows
       from (select p.memory_ref, ${orphansOf} as rows
               from search_progress p
              where p.tenant_id = $1
                and p.memory_ref = any($2::text[])) counted
      where rows > 0`,
  ),
  dropEmptyProgress: statement(
    'search_drop_empty_progress',
    `delete from search_progress p where p.tenant_id = $1 and ${hasNoVersions('p')}`,
  ),
  dropEmptyScopes: statement(
    'search_drop_empty_scopes',
    `delete from search_scope s where s.tenant_id = $1 and ${hasNoVersions('s')}`,
  ),
}
