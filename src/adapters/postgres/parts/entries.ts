import { type EntryHead, type EntryPartState, keyOf } from '../../../core/commit/parts/entries.ts'
import { type HeadRow, headColumns, toHead, writtenColumns } from '../../sql/version-rows.ts'
import * as rows from '../commit-rows.ts'
import { statement } from '../connection.ts'
import { notFenced } from '../fence.ts'
import { foldEndings } from '../fold-endings.ts'
import type { PostgresPart } from './part.ts'

export type EntriesLoaded = { readonly heads: Map<string, EntryHead> }

export const entries: PostgresPart<EntriesLoaded, EntryPartState> = {
  none: () => ({ heads: new Map() }),

  async load(send, tenantId, batches) {
    const keys = batches.flatMap((batch) => [...batch.revisions, ...batch.ends, ...batch.expects])
    if (keys.length === 0) return this.none()
    const refs = keys.map(({ memoryRef }) => memoryRef)
    const ids = keys.map(({ entryId }) => entryId)
    const found = await send<HeadRow>(sql.heads, [tenantId, refs, ids])
    return {
      heads: new Map(
        found.rows.map((row) => [keyOf({ memoryRef: row.memory_ref, entryId: row.entry_id }), toHead(row)]),
      ),
    }
  },

  state: ({ heads }) => ({ head: (entry) => heads.get(keyOf(entry)) }),

  after({ heads }, { endings, versions }) {
    for (const head of [...endings, ...versions]) heads.set(keyOf(head), head)
  },

  save(send, tenantId, sealed) {
    const sent: Promise<unknown>[] = []
    const { versions, endings } = foldEndings(sealed)
    // Endings first: the database allows one live version per entry, and a revision ends one and adds one.
    if (endings.length > 0) {
      sent.push(send(sql.end, [tenantId, ...rows.endingColumns(endings)]))
      sent.push(send(sql.endTags, [tenantId, ...rows.endingTagColumns(endings)]))
    }
    if (versions.length > 0) {
      const incoming = rows.versionRows(versions)
      const { refs, counts, firsts, lasts } = incoming
      sent.push(send(sql.insert, [tenantId, incoming.rows, refs, counts, firsts, lasts]))
    }
    return sent
  },
}

const sql = {
  heads: statement(
    'select_heads',
    `select distinct on (v.memory_ref, v.entry_id) ${headColumns.replace(/\w+/g, 'v.$&')}
     from unnest($2::text[], $3::text[]) as wanted (memory_ref, entry_id),
          ${rows.rowByKey(
            'entry_version',
            `keyed.entry_id = wanted.entry_id
             and (keyed.memory_ref = wanted.memory_ref) is true`,
          )} as v
    where ${notFenced('v')}
    order by v.memory_ref, v.entry_id, v.version desc`,
  ),
  insert: statement(
    'insert_versions',
    `with incoming as materialized (select * from json_to_recordset($2::json) as r ${rows.versionTable}),
        tagged as (
          insert into entry_tag (tenant_id, ${rows.tagColumns})
          select $1, memory_ref, tag, created_position, ordinal, version, recorded_position, ended_position
            from incoming, json_array_elements_text(tag_list) as tag),
        numbered as (
          insert into search_scope as s (tenant_id, memory_ref, newest, highest_position, unordered_to)
          select $1, r.ref, r.count, r.last,
                 case when known.highest_position > r.first then known.highest_position else coalesce(known.unordered_to, 0) end
            from unnest($3::text[], $4::bigint[], $5::bigint[], $6::bigint[]) as r (ref, count, first, last)
            left join search_scope known
              on known.tenant_id = $1
             and known.memory_ref = r.ref
              on conflict (tenant_id, memory_ref) do update
             set newest = s.newest + excluded.newest,
                 highest_position = greatest(s.highest_position, excluded.highest_position),
                 unordered_to = excluded.unordered_to
          returning memory_ref as ref, newest)
   insert into entry_version (tenant_id, ${writtenColumns}, nth)
   select $1, ${writtenColumns}, numbered.newest - place from incoming join numbered on numbered.ref = memory_ref`,
  ),
  end: statement(
    'end_versions',
    `update entry_version v
      set ended_position = ending.position, ended_reason = ending.reason
     from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[])
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
     from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
            as ending (memory_ref, tag, created_position, ordinal, version, position),
          ${rows.rowByKey(
            'entry_tag',
            `keyed.memory_ref = ending.memory_ref
             and keyed.tag = ending.tag
             and keyed.created_position = ending.created_position
             and keyed.ordinal = ending.ordinal
             and keyed.version = ending.version`,
          )} as found
    where t.tenant_id = $1
      and t.ctid = found.ctid`,
  ),
}
