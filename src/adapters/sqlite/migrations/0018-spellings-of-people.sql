-- The spellings in which the id of a person is stored, by its form in Unicode NFC: one person may have several. Only ids that have more than one
-- spelling are here, and most have none: those of plain ASCII. A forget deletes the rows.
create table person_spelling (
  tenant_id      text    not null,
  folded         text    not null,
  spelling       text    not null,
  -- The first one is where new memory goes.
  first_position integer not null,
  -- The last commit that named it: what is newer than a forget stays.
  last_position  integer not null,
  primary key (tenant_id, folded, spelling)
) strict, without rowid;

-- `nfc` is a function of the program that applies the migrations.
insert into person_spelling
select tenant_id, nfc(name), name, min(first), max(last)
  from (select tenant_id, subject as name, created_position as first, recorded_position as last
          from entry_version
         where subject is not null
         union all
        select tenant_id, substr(memory_ref, 9), created_position, recorded_position
          from entry_version
         where memory_ref like 'subject:%'
         union all
        select tenant_id, subject, recorded_position, recorded_position
          from source_event
         where erased_at is null
         union all
        select tenant_id, subject, updated_position, updated_position
          from claim)
 where name glob '*[^ -~]*' or name glob '*[K;`]*'
 group by tenant_id, name;
