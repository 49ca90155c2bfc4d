-- Tenants, their logical clocks, and versions of entries.
-- Instants are milliseconds since 1970 (UTC) everywhere. Every key leads with the tenant.

create table tenant (
  tenant_id  text    not null primary key,
  -- Keys the digests by which the audit names refs and subjects.
  mac_key    blob    not null,
  created_at integer not null
) strict, without rowid;

-- Narrow on purpose: this row is locked and rewritten by every commit of the tenant.
create table tenant_clock (
  tenant_id         text    not null primary key,
  position          integer not null,
  last_hash         text    not null,
  last_created_at   integer not null,
  redaction_version integer not null
) strict, without rowid;

create table entry_version (
  tenant_id         text    not null,
  memory_ref        text    not null,
  entry_id          text    not null,
  version           integer not null,
  content           text    not null,
  tags              text    not null,
  salt              text    not null,
  created_at        integer not null,
  expires_at        integer,
  created_position  integer not null,
  ordinal           integer not null,
  recorded_position integer not null,
  ended_position    integer,
  ended_reason      text,
  subject           text,
  origin            text    not null,
  run_id            text,
  run_sequence      integer,
  -- Ids are unique in the tenant, so the ref is not needed here, and looking one up never scans a ref.
  primary key (tenant_id, entry_id, version)
) strict;

-- "Newest first, as of a position": the scan starts at the position, whatever was written since.
create unique index entry_version_by_age
  on entry_version (tenant_id, memory_ref, created_position, ordinal, version);

-- "Newest first, now": ended versions are not in it, so history does not slow the common list.
-- Unique: the database itself refuses a second live version of one entry.
create unique index entry_live_by_age
  on entry_version (tenant_id, memory_ref, created_position, ordinal)
  where ended_position is null;

-- "What has this run written?", for the run's own view.
create index entry_version_by_run
  on entry_version (tenant_id, run_id, run_sequence)
  where run_id is not null;

-- Exact tag filter in list order. Carries the life of the version, so that a row that is over costs no look-up.
create table entry_tag (
  tenant_id         text    not null,
  memory_ref        text    not null,
  tag               text    not null,
  created_position  integer not null,
  ordinal           integer not null,
  version           integer not null,
  recorded_position integer not null,
  ended_position    integer,
  primary key (tenant_id, memory_ref, tag, created_position, ordinal, version)
) strict, without rowid;
