import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { withStorageErrors } from './errors.ts'

/** Rows that one step examines: a few milliseconds. */
const stepRows = 5_000

/**
 * Counts the rows of a tenant that meet a condition. On the connection of the caller, because another one would not see its snapshot,
 * and in steps, so that other work runs between them.
 */
export function countInSteps(db: Database, table: string, key: string, condition: string) {
  const lastOfStep = db
    .prepare(`
      select ${key}
        from ${table}
       where tenant_id = :tenantId
         and ${key} > :after
       order by ${key}
       limit 1
      offset ${stepRows}`)
    .pluck()
  const count = db
    .prepare(`
      select count(*)
        from ${table}
       where tenant_id = :tenantId
         and ${key} > :after
         and (:last is null or ${key} <= :last)
         and ${condition}`)
    .pluck()
  return async (query: { readonly tenantId: string }): Promise<number> => {
    let counted = 0
    for (let after = ''; ; ) {
      const last = withStorageErrors(() => lastOfStep.get({ ...query, after }) as string | undefined) ?? null
      counted += withStorageErrors(() => count.get({ ...query, after, last }) as number)
      if (last === null) return counted
      after = last
      await yieldToEventLoop()
    }
  }
}
