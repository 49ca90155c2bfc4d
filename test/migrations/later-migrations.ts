import type { Migration } from '../../src/adapters/sql/migrations.ts'
import { isThorough } from '../support/thorough.ts'

/** Made-up steps of a later version, in SQL for both databases: a table filled from stored rows, then a column filled from it. */
const steps = [
  `create table entry_count (tenant_id text not null primary key, entries bigint not null);
   insert into entry_count (tenant_id, entries) select tenant_id, count(*) from entry_version group by tenant_id`,
  `alter table entry_count add column twice bigint not null default 0;
   update entry_count set twice = entries * 2`,
]

export function laterThan(known: readonly Migration[]): Migration[] {
  return steps.map((sql, index) => numbered(known.length + index + 1, 'later', sql))
}

/** Its first statement succeeds and must be undone. */
export function brokenAfter(known: readonly Migration[]): Migration {
  return numbered(known.length + 1, 'broken', 'create table half (a integer); create nonsense')
}

function numbered(number: number, what: string, sql: string): Migration {
  return { number, name: `${String(number).padStart(4, '0')}-${what}`, checksum: `checksum of ${number}`, sql }
}

/**
 * The migrations at which a database stops on its way up: none, only the first, each in turn in one database, and in `npm run test:all` also
 * each of the others alone. The steps are the same with and without a stop before them.
 */
export function waysUp(count: number): readonly (readonly number[])[] {
  const each = Array.from({ length: count - 1 }, (_, at) => at + 1)
  return [[0], [1], each, ...(isThorough ? each.slice(1).map((stop) => [stop]) : [])]
}
