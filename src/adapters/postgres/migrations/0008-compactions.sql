-- Many entries that became one, and which they were.

create table compaction (
  tenant_id         text collate "C" not null,
  compaction_id     text collate "C" not null,
  memory_ref        text collate "C" not null,
  output_id         text collate "C" not null,
  source_count      bigint not null,
  byte_size         bigint not null,
  -- The maintenance run whose log tells of it.
  run_id            text collate "C" not null,
  summariser        text collate "C" not null,
  status            text collate "C" not null,
  recorded_position bigint not null,
  at                bigint not null,
  undone_position   bigint,
  undone_at         bigint,
  primary key (tenant_id, compaction_id)
);

-- "Newest first, of this ref." Ids grow with time.
create index compaction_by_ref on compaction (tenant_id, memory_ref, compaction_id);

-- Lineage: which versions went into which compaction. It outlives an undo, and it says which outputs hold what was said
-- in an entry that is to be forgotten.
create table compaction_source (
  tenant_id     text collate "C" not null,
  compaction_id text collate "C" not null,
  ordinal       bigint not null,
  entry_id      text collate "C" not null,
  version       bigint not null,
  primary key (tenant_id, compaction_id, ordinal)
);

-- "What was made of this entry?"
create index compaction_source_by_entry on compaction_source (tenant_id, entry_id, compaction_id);
