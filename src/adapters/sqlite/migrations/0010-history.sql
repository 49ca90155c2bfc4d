-- What is old: entries whose time is over, versions that ended, and from where on history can be read.

-- Memory as of an earlier position can no longer be read. Beside the position, because every commit and every read of
-- the past looks at it.
alter table tenant_clock add column history_from integer not null default 0;

-- "Which live entries have expired?"
create index entry_live_by_expiry on entry_version (tenant_id, expires_at)
  where ended_position is null and expires_at is not null;

-- "Which versions ended up to this position?"
create index entry_version_by_end on entry_version (tenant_id, ended_position, entry_id, version)
  where ended_position is not null;
