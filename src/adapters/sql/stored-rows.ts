import type { EntryVersion } from '../../core/entries/entry.ts'
import { type StoredRow, type StoredTable, type StoredTables, tagNameOf } from '../../ports/stored-rows.ts'
import { compactionRows } from './compaction-rows.ts'
import { type FenceRow, fenceColumns, toFence } from './forget-rows.ts'
import { assertionRows, claimRows, sourceEventRows } from './provenance-rows.ts'
import type { Row } from './row-codec.ts'
import { adminRows, auditTableRows } from './rows.ts'
import {
  type RunRow,
  runCallRows,
  runColumns,
  runEventRows,
  toMemoryCall,
  toRun,
  toRunCallRow,
  toRunEvent,
  toRunRow,
  toStoredEvent,
} from './run-rows.ts'
import { toVersion, type VersionRow, versionRecord, writtenColumns } from './version-rows.ts'

/**
 * The tables that are compared with the audit, as both databases store them. A row is decoded and encoded again: if that gives another
 * row, it is not one that the store wrote, whichever of its columns was changed.
 */
type Table<T> = {
  readonly from: string
  readonly columns: string
  readonly key: readonly string[]
  /** Comes before every key. */
  readonly before: readonly (string | number)[]
  readonly decode: (row: Row) => T
  readonly encode: (value: T, row: Row) => Row
}

const tagKey = ['memory_ref', 'tag', 'created_position', 'ordinal', 'version']

export const storedTables: { readonly [Name in StoredTable]: Table<StoredTables[Name]> } = {
  audit: {
    from: 'audit t',
    columns: auditTableRows.columns,
    key: ['position'],
    before: [Number.MIN_SAFE_INTEGER],
    decode: auditTableRows.fromRow,
    encode: auditTableRows.toRow,
  },
  versions: {
    from: 'entry_version t',
    columns: writtenColumns,
    key: ['entry_id', 'version'],
    before: ['', Number.MIN_SAFE_INTEGER],
    decode: (row) => withTagList(toVersion(row as VersionRow)),
    encode: (version) => versionRecord(version),
  },
  tags: {
    from: 'entry_tag t',
    columns: `${tagKey.join(', ')}, recorded_position, ended_position`,
    key: tagKey,
    before: ['', '', ...tagKey.slice(2).map(() => Number.MIN_SAFE_INTEGER)],
    decode: (row) => ({
      name: tagNameOf(String(row.memory_ref), String(row.tag)),
      createdPosition: Number(row.created_position),
      ordinal: Number(row.ordinal),
      version: Number(row.version),
      recordedPosition: Number(row.recorded_position),
      endedPosition: row.ended_position as number | null,
    }),
    encode: (_tag, row) => row,
  },
  sourceEvents: {
    from: 'source_event t',
    columns: `${sourceEventRows.columns}, erased_at`,
    key: ['source_event_id'],
    before: [''],
    decode: (row) => ({ event: sourceEventRows.fromRow(row), erasedAt: row.erased_at as number | null }),
    encode: ({ event }) => sourceEventRows.toRow(event),
  },
  claims: {
    from: 'claim t',
    columns: claimRows.columns,
    key: ['claim_id'],
    before: [''],
    decode: claimRows.fromRow,
    encode: claimRows.toRow,
  },
  assertions: {
    from: 'assertion t',
    columns: assertionRows.columns,
    key: ['claim_id', 'ordinal'],
    before: ['', Number.MIN_SAFE_INTEGER],
    decode: assertionRows.fromRow,
    encode: assertionRows.toRow,
  },
  compactions: {
    from: 'compaction t',
    columns: compactionRows.columns,
    key: ['compaction_id'],
    before: [''],
    decode: compactionRows.fromRow,
    encode: compactionRows.toRow,
  },
  lineage: {
    from: 'compaction_source t',
    columns: 'compaction_id, ordinal, entry_id, version',
    key: ['compaction_id', 'ordinal'],
    before: ['', Number.MIN_SAFE_INTEGER],
    decode: ({ entry_id, version }) => ({ entryId: String(entry_id), version: Number(version) }),
    encode: ({ entryId, version }) => ({ entry_id: entryId, version }),
  },
  runs: {
    from: 'run t',
    columns: runColumns,
    key: ['run_id'],
    before: [''],
    decode: (row) => toRun(row as RunRow),
    encode: (run) => toRunRow(run),
  },
  runEvents: {
    from: 'run_event t',
    columns: runEventRows.columns,
    key: ['run_id', 'sequence'],
    before: ['', Number.MIN_SAFE_INTEGER],
    decode: toRunEvent,
    encode: (event, row) => runEventRows.toRow(toStoredEvent(String(row.run_id), event)),
  },
  runCalls: {
    from: 'run_call t',
    columns: runCallRows.columns,
    key: ['run_id', 'ordinal'],
    before: ['', Number.MIN_SAFE_INTEGER],
    decode: toMemoryCall,
    encode: (call, row) => toRunCallRow(String(row.run_id), call),
  },
  records: {
    from: 'admin_record t',
    columns: adminRows.columns,
    key: ['kind', 'id'],
    before: ['', ''],
    decode: adminRows.fromRow,
    encode: adminRows.toRow,
  },
  fences: {
    from: 'fence t',
    columns: fenceColumns,
    key: ['forget_id', 'kind', 'value', 'from_sequence'],
    before: ['', '', '', Number.MIN_SAFE_INTEGER],
    decode: (row) => toFence(row as FenceRow),
    encode: (_fence, row) => row,
  },
}

/** A forger may have stored other JSON in the column. */
function withTagList(version: EntryVersion): EntryVersion {
  const tags: unknown = version.tags
  if (Array.isArray(tags) && tags.every((tag) => typeof tag === 'string')) return version
  throw new Error('tags are a list of texts')
}

/**
 * The statement for a page; `place` names the values by their number, the tenant first, then the key, then the limit. `isAfter` is the condition that a
 * row comes after the key.
 */
export function pageStatement(table: StoredTable, place: (number: number) => string, isAfter?: string): string {
  const { from, columns, key } = storedTables[table]
  const names = key.map((name) => `t.${name}`).join(', ')
  const values = key.map((_name, index) => place(index + 2)).join(', ')
  return `
    select ${columns}
      from ${from}
     where t.tenant_id = ${place(1)}
       and ${isAfter ?? `(${names}) > (${values})`}
     order by ${names}
     limit ${place(key.length + 2)}`
}

export function toStored<Name extends StoredTable>(table: Name, row: Row): StoredRow<StoredTables[Name]> {
  const { key, decode, encode } = storedTables[table]
  const name = key.map((column) => row[column] as string | number)
  try {
    const value = decode(row)
    const again = encode(value, row)
    const isSame = Object.entries(again).every(([column, stored]) => row[column] === stored)
    return { key: name, row: isSame ? value : null }
  } catch {
    // A text that is no JSON.
    return { key: name, row: null }
  }
}
