-- An entry has several rows of tags, and each had the names of tenant, ref and tag in the table and in the index. Now a number stands for them
-- (src/adapters/postgres/tag-rows.ts): 32 bits of a hash of the tenant, and 32 of a hash of ref and tag. Different tags can have the same number, so a reader
-- compares the tag with those of the version.
alter table entry_tag drop constraint entry_tag_pkey;

-- All in one command, so that the table is written once. The columns that go are emptied by it: a column that is only dropped stays in the rows.
alter table entry_tag
  alter column tag drop not null,
  alter column ordinal drop not null,
  alter column recorded_position drop not null,
  alter column memory_ref type bigint using (
    'x' || left(encode(sha256(convert_to(tenant_id, 'UTF8')), 'hex'), 8)
        || left(encode(sha256(convert_to(memory_ref || chr(10) || tag, 'UTF8')), 'hex'), 8))::bit(64)::bigint,
  alter column tag type text using null,
  -- Position and ordinal in one number: an index row of two numbers is small enough for PostgreSQL to fill the pages of a tag that grows.
  alter column created_position type bigint using created_position << 20 | ordinal,
  alter column ordinal type integer using null,
  -- Null where the version was recorded where it was created.
  alter column recorded_position type bigint using nullif(recorded_position, created_position);
alter table entry_tag drop column tag;
alter table entry_tag drop column ordinal;
alter table entry_tag rename column memory_ref to tag_key;
alter table entry_tag rename column created_position to place;

-- "Newest first, with this tag". It begins with the tenant, as part of the number. Not unique: versions of an entry have the same place.
create index entry_tag_by_place on entry_tag (tag_key, place);

-- Of two tags of a version that have the same number, one row is left.
delete from entry_tag
 where ctid in (
   select ctid
     from (select ctid, row_number() over (partition by tenant_id, tag_key, place, version) as nth from entry_tag) as numbered
    where nth > 1);

-- Without a key, replication compares whole rows.
alter table entry_tag replica identity full;

-- No statistics of what people wrote, as in migration 1. Nor of places: then a plan is the same before and after the table is analysed.
alter table entry_tag
  alter column tag_key set statistics 0,
  alter column place set statistics 0;
