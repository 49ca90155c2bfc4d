-- The search index is made from the entries themselves: no copy of their words, and no row for what is not indexed yet.

drop table search_waiting;
drop table search_row;
drop table search_scope;
truncate search_list;

-- One ref with versions: how they are numbered. Every commit to the ref rewrites this row; so the progress of the index, whose
-- row is locked for as long as rows are indexed, is another table.
create table search_scope (
  tenant_id        text collate "C" not null,
  memory_ref       text collate "C" not null,
  -- The number of the newest version. Versions are deleted; their numbers are not used again.
  newest           bigint not null,
  -- Numbers rise with positions, except where an import stored earlier positions: up to `unordered_to` they may not.
  highest_position bigint not null,
  unordered_to     bigint not null,
  primary key (tenant_id, memory_ref)
) with (fillfactor = 50); -- free space on the page, so that rewriting the row changes no index

-- How far a ref is indexed. A transaction that changes the index of a ref locks its row here; several of them in order of ref.
create table search_progress (
  tenant_id  text collate "C" not null,
  memory_ref text collate "C" not null,
  -- Versions up to this number are indexed, and how many of them there are.
  indexed    bigint not null,
  row_count  bigint not null,
  -- The rules by which terms and filter keys were made of them. A program with newer ones indexes the ref again.
  rules      bigint not null,
  primary key (tenant_id, memory_ref)
) with (fillfactor = 50);

-- What was indexed last: for each batch of rows its keys in order, about a hundred to a block, each with the packed rows that
-- have it. A batch is inserted whole and never changed; many of them are merged into `search_list`, so that a key of the
-- list is updated once for thousands of rows.
create table search_block (
  tenant_id  text collate "C" not null,
  memory_ref text collate "C" not null,
  -- The newest row of the batch.
  nth        bigint not null,
  first_key  text collate "C" not null,
  last_key   text collate "C" not null,
  stretch    integer not null,
  keys       text[] collate "C" not null,
  row_counts integer[] not null,
  rows       bytea[] not null,
  primary key (tenant_id, memory_ref, nth, first_key)
) with (toast_tuple_target = 8160);

-- Short-lived, and read whole: neither compressed nor moved out of the row.
alter table search_block
  alter column keys set storage external,
  alter column row_counts set storage external,
  alter column rows set storage external;

alter table entry_version add column nth bigint;

update entry_version v
   set nth = numbered.nth
  from (select tenant_id, entry_id, version,
               row_number() over (
                 partition by tenant_id, memory_ref
                     order by recorded_position, created_position, ordinal, version) as nth
          from entry_version) as numbered
 where v.tenant_id = numbered.tenant_id
   and v.entry_id = numbered.entry_id
   and v.version = numbered.version;

-- Changing the type writes the table anew, without the old rows that the update left behind.
alter table entry_version
  -- The number of the version in its ref, in the order in which versions were stored.
  alter column nth set not null,
  alter column nth type integer;

-- Several indexes begin with tenant and ref, or with the tenant, and without statistics all of them look equally good. So each has a
-- condition that every row meets: a statement that is to use the index says it, and no other statement can.

-- "The rows with these numbers", and "which rows are not indexed yet?".
create unique index entry_version_by_number
  on entry_version (tenant_id, memory_ref, nth)
  where nth > 0;

-- "Newest first, as of a position": together with the index of live versions. A version is in one of the two.
drop index entry_version_by_age;
create unique index entry_ended_by_age
  on entry_version (tenant_id, memory_ref, created_position, ordinal, version)
  where ended_position is not null;

-- "Which versions were recorded after this position?"
drop index entry_version_by_recording;
create index entry_version_by_recording
  on entry_version (tenant_id, recorded_position)
  where recorded_position >= 0;

insert into search_scope (tenant_id, memory_ref, newest, highest_position, unordered_to)
select tenant_id, memory_ref, max(nth), max(recorded_position), 0
  from entry_version
 group by tenant_id, memory_ref;

-- A tag is a short row, and an entry has several: a number that needs four bytes gets four.
alter table entry_tag
  alter column ordinal type integer,
  alter column version type integer;

-- No statistics of what people wrote or are called, as in migration 1.
alter table search_scope
  alter column memory_ref set statistics 0;
alter table search_progress
  alter column memory_ref set statistics 0;
alter table search_block
  alter column memory_ref set statistics 0,
  alter column first_key set statistics 0,
  alter column last_key set statistics 0,
  alter column keys set statistics 0;
