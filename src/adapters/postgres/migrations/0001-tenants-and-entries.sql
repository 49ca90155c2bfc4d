-- Tenants, their logical clocks, and versions of entries.
-- Instants are milliseconds since 1970 (UTC) everywhere. Every key leads with the tenant.

create table tenant (
  tenant_id  text collate "C" not null primary key,
  -- Keys the digests by which the audit names refs and subjects.
  mac_key    bytea not null,
  created_at bigint not null
);

-- Narrow on purpose: this row is locked and rewritten by every commit of the tenant.
create table tenant_clock (
  tenant_id         text collate "C" not null primary key,
  position          bigint not null,
  last_hash         text collate "C" not null,
  last_created_at   bigint not null,
  redaction_version bigint not null
) with (fillfactor = 50); -- room on the page, so that rewriting the row touches no index

create table entry_version (
  tenant_id         text collate "C" not null,
  memory_ref        text collate "C" not null,
  entry_id          text collate "C" not null,
  version           bigint not null,
  content           text collate "C" not null,
  tags              text collate "C" not null,
  salt              text collate "C" not null,
  created_at        bigint not null,
  expires_at        bigint,
  created_position  bigint not null,
  ordinal           bigint not null,
  recorded_position bigint not null,
  ended_position    bigint,
  ended_reason      text collate "C",
  subject           text collate "C",
  origin            text collate "C" not null,
  run_id            text collate "C",
  run_sequence      bigint,
  -- Ids are unique in the tenant, so the ref is not needed here, and looking one up never scans a ref.
  primary key (tenant_id, entry_id, version)
);

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
  tenant_id         text collate "C" not null,
  memory_ref        text collate "C" not null,
  tag               text collate "C" not null,
  created_position  bigint not null,
  ordinal           bigint not null,
  version           bigint not null,
  recorded_position bigint not null,
  ended_position    bigint,
  primary key (tenant_id, memory_ref, tag, created_position, ordinal, version)
);
