import { type EntryHead, type EntryPartState, keyOf } from '../../../core/commit/parts/entries.ts'
import { type HeadRow, headColumns, toHead, writtenColumns } from '../../sql/version-rows.ts'
import * as rows from '../commit-rows.ts'
import { lists, statement, tenantOfCall } from '../connection.ts'
import { notFenced } from '../fence.ts'
import { foldEndings } from '../fold-endings.ts'
import { endingTagColumns, newTagColumns, tagColumns } from '../tag-rows.ts'
import type { Group, PostgresPart } from './part.ts'

export type EntriesLoaded = {
  readonly heads: Map<string, EntryHead>
  /** How versions are numbered in the refs that get new ones; only for refs that have or had versions. */
  readonly scopes: ReadonlyMap<string, rows.RefScope>
}

type ScopeRow = { memory_ref: string; newest: number; highest_position: number; unordered_to: number }

export const entries: PostgresPart<EntriesLoaded, EntryPartState> = {
  none: () => ({ heads: new Map(), scopes: new Map() }),

  async load(send, tenantId, batches) {
    const keys = batches.flatMap((batch) => [...batch.revisions, ...batch.ends, ...batch.expects])
    const written = refsWritten(batches)
    const [heads, scopes] = await Promise.all([
      keys.length === 0
        ? null
        : send<HeadRow>(sql.heads, [tenantId, keys.map((key) => key.memoryRef), keys.map((key) => key.entryId)]),
      written.length === 0 ? null : send<ScopeRow>(sql.scopes, [tenantId, written]),
    ])
    return {
      heads: new Map(
        heads?.rows.map((row) => [keyOf({ memoryRef: row.memory_ref, entryId: row.entry_id }), toHead(row)]),
      ),
      scopes: new Map(
        scopes?.rows.map(({ memory_ref, newest, highest_position, unordered_to }) => [
          memory_ref,
          { newest, highestPosition: highest_position, unorderedTo: unordered_to },
        ]),
      ),
    }
  },

  state: ({ heads }) => ({ head: (entry) => heads.get(keyOf(entry)) }),

  after({ heads }, { endings, versions }) {
    for (const head of [...endings, ...versions]) heads.set(keyOf(head), head)
  },

  save(send, tenantId, sealed, _at, { scopes }) {
    const sent: Promise<unknown>[] = []
    const { versions, endings } = foldEndings(sealed)
    // Endings first: the database allows one live version per entry, and a revision ends one and adds one.
    if (endings.length > 0) {
      sent.push(send(sql.end, [tenantId, ...rows.endingColumns(endings)]))
      sent.push(send(sql.endTags, [tenantId, ...endingTagColumns(tenantId, endings)]))
    }
    if (versions.length > 0) {
      const numbered = rows.numberVersions(versions, scopes)
      sent.push(send(sql.saveScopes, [tenantId, ...numbered.scopeColumns]), send(sql.insert, [tenantId, numbered.rows]))
      if (versions.some(({ tags }) => tags.length > 0))
        sent.push(send(sql.insertTags, [tenantId, ...newTagColumns(tenantId, versions)]))
    }
    return sent
  },
}

/** Read under the lock of the clock, and nothing but a commit changes how versions are numbered. */
function refsWritten(batches: Group): string[] {
  const written = batches.flatMap(({ puts, revisions, imported }) => [
    ...puts,
    ...revisions,
    ...(imported?.versions ?? []),
  ])
  return [...new Set(written.map(({ memoryRef }) => memoryRef))]
}

const sql = {
  heads: statement(
    'select_heads',
    `select distinct on (v.memory_ref, v.entry_id) ${headColumns.replace(/\w+/g, 'v.$&')}
     from unnest(${lists('$2::text', '$3::text')}) as wanted (memory_ref, entry_id),
          ${rows.rowByKey(
            'entry_version',
            `keyed.entry_id = wanted.entry_id
             and (keyed.memory_ref = wanted.memory_ref) is true`,
          )} as v
    where ${notFenced('v')}
    order by v.memory_ref, v.entry_id, v.version desc`,
  ),
  scopes: statement(
    'select_ref_scopes',
    `select memory_ref, newest, highest_position, unordered_to
     from search_scope
    where tenant_id = $1
      and memory_ref = any($2)`,
  ),
  insert: statement(
    'insert_versions',
    `insert into entry_version (tenant_id, ${writtenColumns}, nth)
   select c.tenant_id, ${writtenColumns}, nth
     from ${tenantOfCall}, json_to_recordset($2::json) as r ${rows.numberedVersionTable}`,
  ),
  insertTags: statement(
    'insert_tags',
    `insert into entry_tag (tenant_id, ${tagColumns})
   select c.tenant_id, r.*
     from ${tenantOfCall},
          unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) as r`,
  ),
  saveScopes: statement(
    'save_ref_scopes',
    `insert into search_scope (tenant_id, memory_ref, newest, highest_position, unordered_to)
   select c.tenant_id, r.*
     from ${tenantOfCall}, unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) as r
       on conflict (tenant_id, memory_ref) do update
      set newest = excluded.newest, highest_position = excluded.highest_position, unordered_to = excluded.unordered_to`,
  ),
  end: statement(
    'end_versions',
    `update entry_version v
      set ended_position = ending.position, ended_reason = ending.reason
     from unnest(${lists('$2::text', '$3::text', '$4::bigint', '$5::bigint', '$6::text')})
            as ending (memory_ref, entry_id, version, position, reason),
          ${rows.rowByKey(
            'entry_version',
            `keyed.entry_id = ending.entry_id
             and keyed.version = ending.version
             and (keyed.memory_ref = ending.memory_ref) is true`,
          )} as found
    where v.tenant_id = $1
      and v.ctid = found.ctid`,
  ),
  endTags: statement(
    'end_tags',
    `update entry_tag t
      set ended_position = ending.position
     from unnest(${lists('$2::bigint', '$3::bigint', '$4::bigint', '$5::bigint')}) as ending (tag_key, place, version, position),
          ${rows.rowByKey(
            'entry_tag',
            `keyed.tag_key = ending.tag_key
             and keyed.place = ending.place
             and keyed.version = ending.version`,
          )} as found
    where t.tenant_id = $1
      and t.ctid = found.ctid`,
  ),
}
