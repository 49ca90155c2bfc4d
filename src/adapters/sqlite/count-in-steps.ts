import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { withStorageErrors } from './errors.ts'

/** Rows that one step examines: a few milliseconds if the key has them in the order in which they are stored. */
const stepRows = 2_000

/**
 * Counts the rows of a tenant that meet a condition. On the connection of the caller, because another one would not see its snapshot,
 * and in steps, so that other work runs between them. Of rows with the same key, all belong to one step.
 */
export function countInSteps(
  db: Database,
  { table, key, before, condition }: { table: string; key: string; before: string | number; condition: string },
) {
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
  const countFrom = `
      select count(*)
        from ${table}
       where tenant_id = :tenantId
         and ${key} > :after
         and ${condition}`
  // Two statements: with a condition for both, SQLite would look at every row after the step.
  const countStep = db.prepare(`${countFrom} and ${key} <= :last`).pluck()
  const countRest = db.prepare(countFrom).pluck()
  return async (query: { readonly tenantId: string }): Promise<number> => {
    let counted = 0
    for (let after = before; ; ) {
      const last = withStorageErrors(() => lastOfStep.get({ ...query, after }) as string | number | undefined) ?? null
      if (last === null) return counted + withStorageErrors(() => countRest.get({ ...query, after }) as number)
      counted += withStorageErrors(() => countStep.get({ ...query, after, last }) as number)
      after = last
      await yieldToEventLoop()
    }
  }
}
