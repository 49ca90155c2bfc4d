-- Many entries that became one, and which they were.

create table compaction (
  tenant_id         text    not null,
  compaction_id     text    not null,
  memory_ref        text    not null,
  output_id         text    not null,
  source_count      integer not null,
  byte_size         integer not null,
  -- The maintenance run whose log tells of it.
  run_id            text    not null,
  summariser        text    not null,
  status            text    not null,
  recorded_position integer not null,
  at                integer not null,
  undone_position   integer,
  undone_at         integer,
  primary key (tenant_id, compaction_id)
) strict;

-- "Newest first, of this ref." Ids grow with time.
create index compaction_by_ref on compaction (tenant_id, memory_ref, compaction_id);

-- Lineage: which versions went into which compaction. It outlives an undo, and it says which outputs hold what was said
-- in an entry that is to be forgotten.
create table compaction_source (
  tenant_id     text    not null,
  compaction_id text    not null,
  ordinal       integer not null,
  entry_id      text    not null,
  version       integer not null,
  primary key (tenant_id, compaction_id, ordinal)
) strict, without rowid;

-- "What was made of this entry?"
create index compaction_source_by_entry on compaction_source (tenant_id, entry_id, compaction_id);
