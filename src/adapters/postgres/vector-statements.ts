import { versionColumns } from '../sql/version-rows.ts'
import { hiddenFrom } from './access.ts'
import { statement, unnamedStatement } from './connection.ts'
import { notFenced } from './fence.ts'
import { ordinalOfPlace, positionOfPlace, recordedOf } from './tag-rows.ts'

const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')

/** The version that a vector was made of, if it still has the same text. */
const isMade = `v.tenant_id = $1
        and v.entry_id = made.entry_id
        and v.version = made.version
        and v.content = made.content`

const nearestSql = (condition: string) => `
     select entry_id, version, vector
       from entry_vector
      where tenant_id = $1
        and memory_ref = $2
        and model = $3
        and dimensions = $4
        and recorded_position <= $5
        ${condition}
      order by created_position desc, ordinal desc, version desc
      limit $6`

// The positions first: how many versions one has is bounded, and the order within it needs no index.
const recordedAfterSql = (near: '' | 'near') => `
     select ${columnsOfV},
            x.version is null or x.model <> $6 or x.dimensions <> $7 or x.made_at < $8${near && ' or x.near is null'} as is_pending
       from (select *
               from entry_version v
              where v.tenant_id = $1
                and v.recorded_position >= 0
                and v.recorded_position >= $2
                and (v.recorded_position, v.entry_id, v.version) > ($2, $3, $4::bigint)
                and ${notFenced('v')}
              order by v.recorded_position, v.entry_id, v.version
              limit $5) as v
       left join lateral (
         select x.version, x.model, x.dimensions, x.made_at${near && ', x.near'}
           from entry_vector x
          where x.tenant_id = $1
            and x.memory_ref = v.memory_ref
            and x.created_position = v.created_position
            and x.ordinal = v.ordinal
            and x.version = v.version
         offset 0) as x on true
      order by v.recorded_position, v.entry_id, v.version`

const saveSql = (near: '' | 'near') => `
     insert into entry_vector (tenant_id, memory_ref, created_position, ordinal, version, entry_id, recorded_position,
       content_hash, vector, model, dimensions, made_at${near && ', near'})
     select v.tenant_id, v.memory_ref, v.created_position, v.ordinal, v.version, v.entry_id, v.recorded_position,
            made.content_hash, made.vector, $7, $8::bigint, $9::bigint${near && ', made.near::halfvec'}
       from unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::bytea[]${near && ', $10::text[]'})
         as made (entry_id, version, content, content_hash, vector${near && ', near'})
       join entry_version v
         on ${isMade}
         on conflict (tenant_id, memory_ref, created_position, ordinal, version) do update
        set model = excluded.model, dimensions = excluded.dimensions, content_hash = excluded.content_hash,
            made_at = excluded.made_at, vector = excluded.vector${near && ', near = excluded.near'}`

/** The same where vectors have a second copy for the index. */
export const vectorsWithNear = {
  recordedAfter: unnamedStatement(recordedAfterSql('near')),
  save: unnamedStatement(saveSql('near')),
}

export const isLargeSql = `
     select count(*) > $3 and not exists (
              select 1 from entry_vector where tenant_id = $1 and memory_ref = $2 and near is null) as is_large
       from (select 1 from entry_vector where tenant_id = $1 and memory_ref = $2 limit $3 + 1) as first`

export const vectorStatements = {
  erase: statement(
    'vector_erase',
    `delete from entry_vector x
      using unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
         as gone (memory_ref, created_position, ordinal, version)
      where x.tenant_id = $1
        and x.memory_ref = gone.memory_ref
        and x.created_position = gone.created_position
        and x.ordinal = gone.ordinal
        and x.version = gone.version`,
  ),
  setBack: statement(
    'vector_set_back',
    'update vector_progress set position = $2 where tenant_id = $1 and position > $2',
  ),
  dropOthers: statement(
    'vector_drop_others',
    'delete from vector_progress where tenant_id = $1 and (model, dimensions) <> ($2, $3)',
  ),
  // Of two processes that begin a space together, the second finds what the first has written.
  begin: statement(
    'vector_begin',
    `insert into vector_progress as p (tenant_id, model, dimensions, position)
     values ($1, $2, $3, 0)
         on conflict (tenant_id, model, dimensions) do update
        set position = p.position
     returning position`,
  ),
  reached: statement(
    'vector_reached',
    'select position from vector_progress where tenant_id = $1 and model = $2 and dimensions = $3',
  ),
  reach: statement(
    'vector_reach',
    `update vector_progress
        set position = $5
      where tenant_id = $1
        and model = $2
        and dimensions = $3
        and position = $4
     returning 1`,
  ),
  recordedAfter: statement('vector_recorded_after', recordedAfterSql('')),
  known: statement(
    'vector_known',
    // Hash by hash: the column has no statistics, and for a list of hashes the planner would read the whole table.
    `select wanted.content_hash, found.vector
       from unnest($2::text[]) as wanted (content_hash)
      cross join lateral (
            select v.vector
              from entry_vector v
             where v.tenant_id = $1
               and v.content_hash = wanted.content_hash
               and v.model = $3
               and v.dimensions = $4
               and v.made_at >= $5
             limit 1) as found`,
  ),
  // The versions stay locked until the vectors are stored: a rewrite or an erasure of one runs before or after.
  hold: statement(
    'vector_hold_versions',
    `select 1
       from unnest($2::text[], $3::bigint[], $4::text[]) as made (entry_id, version, content)
       join entry_version v
         on ${isMade}
      order by v.entry_id, v.version
        for share of v`,
  ),
  save: statement('vector_save', saveSql('')),
  nearest: statement('vector_nearest', nearestSql('')),
  nearestFor: statement(
    'vector_nearest_for',
    nearestSql(`and not exists (
              select 1
                from entry_version v
               where v.tenant_id = $1
                 and v.entry_id = entry_vector.entry_id
                 and v.version = entry_vector.version
                 and ${hiddenFrom('v', '$7')})`),
  ),
  ofPlaces: statement(
    'vectors_of_places',
    `select x.vector
       from unnest($3::bigint[], $4::bigint[], $5::bigint[]) with ordinality as wanted (created_position, ordinal, version, nth)
       left join entry_vector x
         on x.tenant_id = $1
        and x.memory_ref = $2
        and x.created_position = wanted.created_position
        and x.ordinal = wanted.ordinal
        and x.version = wanted.version
        and x.model = $6
        and x.dimensions = $7
      order by wanted.nth`,
  ),
  countTagged: statement(
    'vector_count_tagged',
    `select count(*)::int as count
       from (select 1 from entry_tag where tenant_id = $1 and tag_key = $2 limit $3) as first`,
  ),
  // Tag by tag: the planner must not compare the vectors of the whole ref with a list of tags.
  tagged: statement(
    'vectors_tagged',
    `select x.entry_id, x.version, x.vector
       from (select ${positionOfPlace('t.place')} as created_position, ${ordinalOfPlace('t.place')} as ordinal, t.version
               from entry_tag t
              where t.tenant_id = $1
                and t.tag_key = $3
                and ${recordedOf('t')} <= $4
             offset 0) as t
      cross join lateral (
            select x.entry_id, x.version, x.vector
              from entry_vector x
             where x.tenant_id = $1
               and x.memory_ref = $2
               and x.created_position = t.created_position
               and x.ordinal = t.ordinal
               and x.version = t.version
               and x.model = $5
               and x.dimensions = $6
            offset 0) as x`,
  ),
  removeOthers: statement(
    'vector_remove_others',
    `delete from entry_vector
      where tenant_id = $1
        and (memory_ref, created_position, ordinal, version) in (
          select memory_ref, created_position, ordinal, version
            from entry_vector
           where tenant_id = $1
             and (model <> $2 or dimensions <> $3)
           limit $4)
     returning 1`,
  ),
  counts: statement(
    'vector_counts',
    `select model, dimensions, count(*) as vectors
       from entry_vector
      where tenant_id = $1
      group by model, dimensions
      order by model, dimensions`,
  ),
  countVersions: statement(
    'vector_count_versions',
    `select count(*) as versions, count(*) filter (where recorded_position > $2) as waiting
       from entry_version
      where tenant_id = $1`,
  ),
}
