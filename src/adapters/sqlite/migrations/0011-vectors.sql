-- Vectors by which entries are found that mean the same in other words.

-- One vector for a version. It is made by a job after the version was stored, and deleted with it. The key is that of the
-- version's place, so the vectors of a ref lie side by side, oldest first.
create table entry_vector (
  tenant_id         text    not null,
  memory_ref        text    not null,
  created_position  integer not null,
  ordinal           integer not null,
  version           integer not null,
  entry_id          text    not null,
  recorded_position integer not null,
  -- Vectors of different models, or of different lengths, cannot be compared.
  model             text    not null,
  dimensions        integer not null,
  -- Of the text, so that the same text need not be embedded twice.
  content_hash      text    not null,
  made_at           integer not null,
  -- Four bytes for each number, little-endian, of length 1 together.
  vector            blob    not null,
  primary key (tenant_id, memory_ref, created_position, ordinal, version)
) strict;

create index entry_vector_by_text on entry_vector (tenant_id, content_hash);

-- Up to which position every version of a tenant was looked at, for each model.
create table vector_progress (
  tenant_id  text    not null,
  model      text    not null,
  dimensions integer not null,
  position   integer not null,
  primary key (tenant_id, model, dimensions)
) strict, without rowid;

-- "Which versions were recorded after this position?"
create index entry_version_by_recording on entry_version (tenant_id, recorded_position, entry_id, version);
