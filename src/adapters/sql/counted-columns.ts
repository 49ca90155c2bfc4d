import type { CountedTable } from '../../core/quotas/stored-bytes.ts'

/** The columns that the quota of bytes counts, as `core/quotas/stored-bytes.ts` says for rows in memory. */

type Counted = { readonly from: string; readonly key: readonly string[]; readonly columns: readonly string[] }

const countedColumns: Readonly<Record<CountedTable, Counted>> = {
  sourceEvents: {
    from: 'source_event',
    key: ['source_event_id'],
    columns: ['event_id', 'subject', 'scope', 'evidence', 'metadata', 'messages', 'readers'],
  },
  records: { from: 'admin_record', key: ['kind', 'id'], columns: ['id', 'body'] },
  runs: { from: 'run', key: ['run_id'], columns: ['tags', 'facts', 'text'] },
  runEvents: { from: 'run_event', key: ['run_id', 'sequence'], columns: ['payload'] },
  runCalls: { from: 'run_call', key: ['run_id', 'ordinal'], columns: ['memory_ref', 'entries'] },
  assertions: { from: 'assertion', key: ['claim_id', 'ordinal'], columns: ['event_id', 'content', 'content_key'] },
  jobs: { from: 'job', key: ['job_id'], columns: ['payload', 'progress', 'error', 'result'] },
  schedules: { from: 'schedule', key: ['schedule_id'], columns: ['payload'] },
}

/** The bytes of a version of an entry. */
export const versionBytes = bytesOf(['memory_ref', 'content', 'tags', 'subject', 'classification', 'readers'])

/** The size of a long text is known without reading it. */
function bytesOf(columns: readonly string[]): string {
  return columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ')
}

/** A page of the rows of a table, each with its key and its bytes. The parameters are the tenant, the key before, and the number of rows. */
export function countedPage(table: CountedTable, parameter: (nth: number, column: string) => string): string {
  const { from, key, columns } = countedColumns[table]
  const after = key.map((column, at) => parameter(at + 2, column)).join(', ')
  return `
    select ${key.join(', ')}, ${bytesOf(columns)} as bytes
      from ${from}
     where tenant_id = ${parameter(1, 'tenant_id')}
       and (${key.join(', ')}) > (${after})
     order by ${key.join(', ')}
     limit ${parameter(key.length + 2, 'limit')}`
}

/** Comes before every key of a table. */
export function keyBefore(table: CountedTable): readonly (string | number)[] {
  return countedColumns[table].key.map((column) => (isNumber(column) ? -1 : ''))
}

export const isNumber = (column: string): boolean => column === 'sequence' || column === 'ordinal'

type PageRow = Readonly<Record<string, string | number>>

export type CountedPage = { readonly bytes: number; readonly next: readonly (string | number)[] | null }

export function toCountedPage(table: CountedTable, rows: readonly PageRow[], limit: number): CountedPage {
  const bytes = rows.reduce((sum, row) => sum + Number(row.bytes), 0)
  const last = rows.length < limit ? undefined : rows.at(-1)
  return { bytes, next: last === undefined ? null : countedColumns[table].key.map((column) => last[column] ?? '') }
}
