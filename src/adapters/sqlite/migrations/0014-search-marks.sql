-- Filters become part of finding: beside its terms a row is indexed by marks of its tags, category, subject, writer and time.

-- What is deleted from the index must be named as it was put in.
alter table search_row add column marks text not null default '';

-- Rows without marks would be missed by a filter: everything waits for the index once more. A search goes through what waits.
insert into search_key (search_key) values ('delete-all');
delete from search_row;
delete from search_scope;
delete from search_waiting;

insert into search_waiting (tenant_id, memory_ref, recorded_position, place, entry_id, version)
select tenant_id, memory_ref, recorded_position,
       row_number() over (partition by tenant_id, memory_ref, recorded_position order by created_position, ordinal, version),
       entry_id, version
  from entry_version;
