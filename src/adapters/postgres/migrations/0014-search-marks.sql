-- Filters become part of finding: beside its terms a row is indexed by marks of its tags, category, subject, writer and time.

-- Rows without marks would be missed by a filter: everything waits for the index once more. A search goes through what waits.
truncate search_row, search_scope, search_waiting;

insert into search_waiting (tenant_id, memory_ref, recorded_position, place, entry_id, version)
select tenant_id, memory_ref, recorded_position,
       row_number() over (partition by tenant_id, memory_ref, recorded_position order by created_position, ordinal, version),
       entry_id, version
  from entry_version;
