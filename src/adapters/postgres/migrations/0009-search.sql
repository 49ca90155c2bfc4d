-- Finding entries by their terms.

-- Versions that are not indexed yet, in the order they were recorded. A commit adds here, and nothing else: the index is made
-- of many rows at a time, later. A search goes through what waits, so nothing is missed.
create table search_waiting (
  tenant_id         text collate "C" not null,
  memory_ref        text collate "C" not null,
  recorded_position bigint not null,
  -- Its place in the commit.
  place             bigint not null,
  entry_id          text collate "C" not null,
  version           bigint not null,
  primary key (tenant_id, memory_ref, recorded_position, place)
);

insert into search_waiting (tenant_id, memory_ref, recorded_position, place, entry_id, version)
select tenant_id, memory_ref, recorded_position,
       row_number() over (partition by tenant_id, memory_ref, recorded_position order by created_position, ordinal, version),
       entry_id, version
  from entry_version;

-- A ref with indexed rows: the number of the newest, and how many there are. Rows are deleted, numbers never return.
create table search_scope (
  tenant_id  text collate "C" not null,
  memory_ref text collate "C" not null,
  newest     bigint not null,
  row_count  bigint not null,
  primary key (tenant_id, memory_ref)
);

-- One indexed version. Its keys are its terms, each behind a digest of tenant and ref, so what other scopes hold is in other lists.
create table search_row (
  tenant_id         text collate "C" not null,
  memory_ref        text collate "C" not null,
  nth               bigint not null,
  entry_id          text collate "C" not null,
  version           bigint not null,
  recorded_position bigint not null,
  terms             text collate "C" not null,
  keys              tsvector not null,
  primary key (tenant_id, memory_ref, nth)
);

create unique index search_row_by_version on search_row (tenant_id, entry_id, version);

-- Rows come many at a time, so there is no need to let them wait once more, in a list that every search would go through.
create index search_row_by_key on search_row using gin (keys) with (fastupdate = off);

-- Statistics would keep copies of words beyond the life of their rows.
alter table search_row alter column terms set statistics 0;
alter table search_row alter column keys set statistics 0;
