-- The spellings in which the id of a person is stored, by its form in Unicode NFC: one person may have several. Only ids that have more than one
-- spelling are here, and most have none: those of plain ASCII. A forget deletes the rows.
create table person_spelling (
  tenant_id      text collate "C" not null,
  folded         text collate "C" not null,
  spelling       text collate "C" not null,
  -- The first one is where new memory goes.
  first_position bigint not null,
  -- The last commit that named it: what is newer than a forget stays.
  last_position  bigint not null,
  primary key (tenant_id, folded, spelling)
);

-- No statistics: they would keep names after a forget.
alter table person_spelling
  alter column folded set statistics 0,
  alter column spelling set statistics 0;

-- A database in another encoding (SQL_ASCII is what initdb makes without a locale) cannot normalise: there a spelling stays its own form until
-- its next write, which gets the form from the program.
insert into person_spelling
select tenant_id, case when getdatabaseencoding() = 'UTF8' then normalize(name, NFC) else name end, name, min(first), max(last)
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
          from claim) as named
 where name ~ '[^\x01-\x7f]|[K;`]'
 group by tenant_id, name;
