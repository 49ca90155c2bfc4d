-- Lists of rows by key, newest first. The index that was here gives the rows of a key in no order: a search that wants the
-- newest of a common word had to fetch them all. It also kept every key it had ever seen, long after its last row was erased.

drop index search_row_by_key;
alter table search_row drop column keys;
-- What is taken out of the lists must be named as it was put in.
alter table search_row add column marks text collate "C" not null default '';

-- The rows of one key among 4,096 numbers in a row, packed (src/adapters/postgres/packed-rows.ts). Whoever changes lists of a
-- ref holds its scope.
create table search_list (
  tenant_id  text collate "C" not null,
  memory_ref text collate "C" not null,
  key        text collate "C" not null,
  stretch    integer not null,
  row_count  integer not null,
  rows       bytea not null,
  primary key (tenant_id, memory_ref, key, stretch)
) with (fillfactor = 80);

-- Statistics would keep copies of words and refs beyond the life of their rows.
alter table search_row
  alter column marks set statistics 0;
alter table search_list
  alter column memory_ref set statistics 0,
  alter column key set statistics 0;
-- Short and often added to: packing it once more costs more than it saves.
alter table search_list alter column rows set storage main;

-- Everything waits for the index once more. A search goes through what waits.
truncate search_row, search_scope, search_waiting;

insert into search_waiting (tenant_id, memory_ref, recorded_position, place, entry_id, version)
select tenant_id, memory_ref, recorded_position,
       row_number() over (partition by tenant_id, memory_ref, recorded_position order by created_position, ordinal, version),
       entry_id, version
  from entry_version;
