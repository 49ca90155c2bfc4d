-- Vectors by which entries are found that mean the same in other words.

-- One vector for a version. It is made by a job after the version was stored, and deleted with it. The key is that of the
-- version's place, so the vectors of a ref lie side by side, oldest first.
create table entry_vector (
  tenant_id         text collate "C" not null,
  memory_ref        text collate "C" not null,
  created_position  bigint not null,
  ordinal           bigint not null,
  version           bigint not null,
  entry_id          text collate "C" not null,
  recorded_position bigint not null,
  -- Vectors of different models, or of different lengths, cannot be compared.
  model             text collate "C" not null,
  dimensions        bigint not null,
  -- Of the text, so that the same text need not be embedded twice.
  content_hash      text collate "C" not null,
  made_at           bigint not null,
  -- Four bytes for each number, little-endian, of length 1 together.
  vector            bytea not null,
  primary key (tenant_id, memory_ref, created_position, ordinal, version)
);

create index entry_vector_by_text on entry_vector (tenant_id, content_hash);

-- Up to which position every version of a tenant was looked at, for each model.
create table vector_progress (
  tenant_id  text collate "C" not null,
  model      text collate "C" not null,
  dimensions bigint not null,
  position   bigint not null,
  primary key (tenant_id, model, dimensions)
);

-- "Which versions were recorded after this position?"
create index entry_version_by_recording on entry_version (tenant_id, recorded_position, entry_id, version);

-- Numbers do not compress, and statistics of them are of no use and would outlive their rows.
alter table entry_vector alter column vector set storage external;
alter table entry_vector alter column vector set statistics 0;
