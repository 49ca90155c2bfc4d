import type { Database } from 'better-sqlite3'
import { prepareDropScope, rowIdOf, type ScopeRow, scopeColumns } from './search-table.ts'

/**
 * Rows of the full-text index whose version is no longer stored. No commit leaves them. Their text is gone, so their keys are
 * read from the index itself, which takes as long as the index of the ref is large.
 */
export function prepareSearchOrphans(db: Database) {
  const scopes = db.prepare(`select ${scopeColumns} from search_scope where tenant_id = ?`)
  const countRows = db.prepare('select count(*) from entry_version where row_id > ? and row_id <= ?').pluck()
  const deleteKeys = db.prepare(`insert into search_key (search_key, rowid, keys) values ('delete', ?, ?)`)
  const setCount = db.prepare('update search_scope set row_count = ? where scope_id = ?')
  const isEmpty = db.prepare(`
    select 1
      from search_scope
     where scope_id = ?
       and row_count = 0
       and not exists (select 1 from entry_version where row_id > ? and row_id <= ?)`)
  const dropScope = prepareDropScope(db)

  /** Every key begins with the number of its scope and an x or a y. */
  function keysOfOrphans({ scope_id }: ScopeRow, limit: number): Map<number, string> {
    db.exec('create virtual table if not exists temp.search_instance using fts5vocab (main, search_key, instance)')
    const orphans = db.prepare(`
      select doc, group_concat(term, ' ') as keys
        from temp.search_instance
       where term >= :scope || 'x'
         and term < :scope || 'z'
         and not exists (select 1 from entry_version where row_id = doc)
       group by doc
       limit +:limit`)
    const rows = orphans.all({ scope: String(scope_id), limit }) as { doc: number; keys: string }[]
    return new Map(rows.map(({ doc, keys }) => [doc, keys]))
  }

  return (tenantId: string, limit: number): number => {
    let removed = 0
    for (const scope of scopes.all(tenantId) as ScopeRow[]) {
      const [base, newest] = [rowIdOf(scope, 0), rowIdOf(scope, scope.newest)]
      const stored = countRows.get(base, rowIdOf(scope, scope.indexed)) as number
      if (stored < scope.row_count && removed < limit) {
        const orphans = keysOfOrphans(scope, limit - removed)
        for (const [rowId, keys] of orphans) deleteKeys.run(rowId, keys)
        removed += orphans.size
        setCount.run(removed < limit ? stored : scope.row_count - orphans.size, scope.scope_id)
      }
      if (isEmpty.get(scope.scope_id, base, newest) !== undefined) dropScope(scope.scope_id)
    }
    return removed
  }
}

/** How many there are in a tenant, from counts alone. */
export const countSearchOrphans = `
  select max(0, (
           select coalesce(sum(s.row_count + (
                    select count(*)
                      from entry_version u
                     where u.row_id > s.scope_id * 268435456 + s.indexed
                       and u.row_id <= s.scope_id * 268435456 + s.newest)), 0)
             from search_scope s
            where s.tenant_id = :tenantId)
         - (select count(*) from entry_version where tenant_id = :tenantId))`
