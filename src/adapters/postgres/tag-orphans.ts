import { statement } from './connection.ts'
import { givenFences } from './fence.ts'
import { isOfTenant, ordinalOfPlace, positionOfPlace, tagKeySql } from './tag-rows.ts'

/**
 * All rows of tags with the version at their place, and versions without one. A row does not name its ref, by which its version would be found: a full join
 * makes the server read each table once, whatever it knows of them.
 */
const tagsAndVersions = `tagged as materialized (
       select t.ctid as tag, t.tag_key, t.created_position, v.version as of_version, v.memory_ref, v.tags
         from (select ctid, tag_key, ${positionOfPlace('place')} as created_position, ${ordinalOfPlace('place')} as ordinal, version
                 from entry_tag
                where tenant_id = $1
                  and ${isOfTenant('tag_key', '$1')}) as t
         full join (select memory_ref, created_position, ordinal, version, tags from entry_version where tenant_id = $1) as v
           on v.created_position = t.created_position
          and v.ordinal = t.ordinal
          and v.version = t.version)`
const isOrphanTag = 'tag is not null and of_version is null'

export const removeTagOrphans = statement(
  'remove_orphan_tags',
  `with ${tagsAndVersions}
   delete from entry_tag
    where tenant_id = $1
      and ctid = any(array(select tag from tagged where ${isOrphanTag} limit $2))
   returning 1`,
  { isScan: true },
)

/** In SQL: another tag than the fenced one has the number of this row. Then the row is of that tag. */
const isOfOtherTag = `exists (
             select 1
               from jsonb_array_elements_text(case when jsonb_typeof(tagged.tags::jsonb) = 'array' then tagged.tags::jsonb else '[]' end) as other
              where other <> fenced.value
                and ${tagKeySql('$3', 'tagged.memory_ref', 'other')} = tagged.tag_key)`

/** Rows of the fenced tags and refs, and all that have lost their version: those do not say of which ref they were. */
export const countTags = statement(
  'left_tags',
  `with given as materialized (${givenFences('$2')}), ${tagsAndVersions}, fenced as materialized (
     select t.ctid as tag, f.value
       from given f, search_scope s,
            lateral (select ${tagKeySql('$3', 's.memory_ref', 'f.value')} as tag_key offset 0) k,
            lateral (select t.ctid, t.place from entry_tag t where t.tenant_id = $1 and t.tag_key = k.tag_key offset 0) t
      where f.kind = 'tag'
        and s.tenant_id = $1
        and ${positionOfPlace('t.place')} <= f.position)
   select count(*) as count
     from tagged
    where tag is not null
      and (of_version is null
           or exists (select 1 from fenced where fenced.tag = tagged.tag and not ${isOfOtherTag})
           or exists (select 1 from given f where f.kind = 'ref' and tagged.memory_ref = f.value and tagged.created_position <= f.position))`,
  { isScan: true },
)
