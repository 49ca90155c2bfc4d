-- Finding entries by their terms.

-- Versions that are not indexed yet, in the order they were recorded. A commit adds here, and nothing else: the index is made
-- of many rows at a time, later. A search goes through what waits, so nothing is missed.
create table search_waiting (
  tenant_id         text    not null,
  memory_ref        text    not null,
  recorded_position integer not null,
  -- Its place in the commit.
  place             integer not null,
  entry_id          text    not null,
  version           integer not null,
  primary key (tenant_id, memory_ref, recorded_position, place)
) strict, without rowid;

insert into search_waiting (tenant_id, memory_ref, recorded_position, place, entry_id, version)
select tenant_id, memory_ref, recorded_position,
       row_number() over (partition by tenant_id, memory_ref, recorded_position order by created_position, ordinal, version),
       entry_id, version
  from entry_version;

-- A ref with indexed rows. The scope's number begins every key of its terms, so what other scopes hold is in other lists.
create table search_scope (
  scope_id   integer not null primary key,
  tenant_id  text    not null,
  memory_ref text    not null,
  -- The number of the newest row, and how many there are: rows are deleted, numbers never return.
  newest     integer not null,
  row_count  integer not null
) strict;

create unique index search_scope_by_ref on search_scope (tenant_id, memory_ref);

-- One indexed version. Its id is the scope's number and its own, so a scope's rows lie side by side, oldest first.
create table search_row (
  row_id            integer not null primary key,
  tenant_id         text    not null,
  entry_id          text    not null,
  version           integer not null,
  recorded_position integer not null,
  terms             text    not null
) strict;

create unique index search_row_by_version on search_row (tenant_id, entry_id, version);

-- Keys and row ids, no texts. `secure-delete` takes deleted keys out of the file at once.
create virtual table search_key using fts5 (
  keys, content = '', detail = none, columnsize = 0, tokenize = 'ascii'
);

insert into search_key (search_key, rank) values ('secure-delete', 1);
