import { changeTagsByName } from '../../test/support/tags-by-name.ts'
import type { RecordTables } from '../product.ts'

/** The tables in which Colophon records what happened. */

/** The key of a row, the columns that are altered, and the columns that must be unique in a copy. */
type Forged = readonly [
  table: string,
  key: readonly [string, ...string[]],
  columns: readonly string[],
  unique: readonly string[],
]

/** PostgreSQL names a tag by a number. */
const tags: Readonly<Record<'row_id' | 'nth', Forged>> = {
  row_id: [
    'entry_tag',
    ['memory_ref', 'tag', 'created_position', 'ordinal', 'version'],
    ['recorded_position'],
    ['tag'],
  ],
  nth: ['entry_tag', ['tag_key', 'place', 'version'], ['place', 'version'], ['version']],
}

const others = (number: 'row_id' | 'nth') =>
  (
    [
      tags[number],
      [
        'source_event',
        ['source_event_id'],
        ['payload_hash', 'observed_at', 'messages', 'metadata', 'actor', 'service', 'subject', 'salt', 'trust'],
        ['source_event_id', 'event_id'],
      ],
      ['claim', ['claim_id'], ['winner', 'category', 'subject', 'is_contested', 'revision'], ['claim_id']],
      [
        'assertion',
        ['claim_id', 'ordinal'],
        ['content', 'content_key', 'priority', 'observed_at', 'confidence', 'service', 'entry_id', 'seal', 'trust'],
        ['ordinal'],
      ],
      ['admin_record', ['kind', 'id'], ['body', 'revision', 'updated_at'], ['id']],
      ['run', ['run_id'], ['status', 'facts', 'text', 'snapshot_position', 'workflow_id', 'ended_at'], ['run_id']],
      ['run_event', ['run_id', 'sequence'], ['type', 'at', 'payload'], ['sequence']],
      ['run_call', ['run_id', 'ordinal'], ['entries', 'memory_ref', 'position'], ['ordinal']],
      ['compaction', ['compaction_id'], ['summariser', 'output_id', 'status', 'byte_size'], ['compaction_id']],
      ['compaction_source', ['compaction_id', 'ordinal'], ['entry_id', 'version'], ['ordinal']],
    ] satisfies Forged[] as Forged[]
  ).map(([table, key, columns, unique]) => ({ table, tenant: 'tenant_id', order: key[0], key, columns, unique }))

/** `number` is the column with the number of a version: each database has its own. */
export const storedTables = (number: 'row_id' | 'nth'): RecordTables => ({
  ...(number === 'row_id' ? { prepare: changeTagsByName } : {}),
  log: {
    table: 'audit',
    tenant: 'tenant_id',
    order: 'position',
    key: ['position'],
    columns: ['at', 'body', 'hash'],
  },
  content: {
    table: 'entry_version',
    tenant: 'tenant_id',
    order: 'recorded_position',
    key: ['entry_id', 'version'],
    columns: ['content', 'salt', 'memory_ref', 'tags', 'created_at', 'recorded_position', 'origin', 'subject', 'trust'],
    unique: ['entry_id', 'ordinal', 'claim_id', number],
  },
  others: others(number),
})
