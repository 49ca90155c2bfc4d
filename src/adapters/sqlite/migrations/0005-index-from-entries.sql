-- The search index is made from the entries themselves: no copy of their words, and no row for what is not indexed yet.
--
-- A version gets a number of its own: that of its ref, times 2^28, plus its number in the ref. So the versions of a ref are
-- adjacent in the order in which they were stored, those after the last indexed one are not indexed yet, and the full-text
-- index names a version by this number. It is a column and not SQLite's implicit row number, which VACUUM may change.

drop table search_waiting;
drop table search_row;
drop table search_scope;

-- One ref with versions.
create table search_scope (
  scope_id         integer not null primary key,
  tenant_id        text    not null,
  memory_ref       text    not null,
  -- The number of the newest version. Versions are deleted; their numbers are not used again.
  newest           integer not null,
  -- Versions up to this number are in the full-text index, and how many of them there are.
  indexed          integer not null,
  row_count        integer not null,
  -- Numbers rise with positions, except where an import stored earlier positions: up to `unordered_to` they may not.
  highest_position integer not null,
  unordered_to     integer not null
) strict;

create unique index search_scope_by_ref on search_scope (tenant_id, memory_ref);

insert into search_scope (tenant_id, memory_ref, newest, indexed, row_count, highest_position, unordered_to)
select tenant_id, memory_ref, count(*), 0, 0, max(recorded_position), 0
  from entry_version
 group by tenant_id, memory_ref
 order by tenant_id, memory_ref;

-- How terms and filter keys were made of the rows that are in the index. With other rules it is built again.
create table search_rules (rules text not null primary key) strict, without rowid;

insert into search_key (search_key) values ('delete-all');

-- The numbers first, in rows that are short enough to be sorted in memory.
create table entry_number (row_id integer not null primary key, old_row integer not null) strict;

insert into entry_number (row_id, old_row)
select s.scope_id * 268435456
         + row_number() over (partition by s.scope_id order by v.recorded_position, v.created_position, v.ordinal, v.version),
       v.rowid
  from entry_version v
  join search_scope s
    on s.tenant_id = v.tenant_id
   and s.memory_ref = v.memory_ref;

create table entry_version_new (
  row_id            integer not null primary key,
  tenant_id         text    not null,
  memory_ref        text    not null,
  entry_id          text    not null,
  version           integer not null,
  created_at        integer not null,
  expires_at        integer,
  created_position  integer not null,
  ordinal           integer not null,
  recorded_position integer not null,
  -- The position of the audit record with the digest of the current text. It is set when a secret was redacted in place;
  -- null means the version's own position.
  digest_position   integer,
  ended_position    integer,
  ended_reason      text,
  subject           text,
  claim_id          text,
  run_id            text,
  run_sequence      integer,
  origin            text    not null,
  -- Category, importance and claim, as JSON; null for entries that a client put without them.
  classification    text,
  salt              text    not null,
  tags              text    not null,
  -- Last: the columns before it are read without the pages of a long text.
  content           text    not null
) strict;

insert into entry_version_new
select n.row_id, v.tenant_id, v.memory_ref, v.entry_id, v.version, v.created_at, v.expires_at, v.created_position, v.ordinal,
       v.recorded_position, v.digest_position, v.ended_position, v.ended_reason, v.subject, v.claim_id, v.run_id,
       v.run_sequence, v.origin, v.classification, v.salt, v.tags, v.content
  from entry_number n
 cross join entry_version v
    on v.rowid = n.old_row
 order by n.row_id;

drop table entry_number;
drop table entry_version;
alter table entry_version_new rename to entry_version;

-- Ids are unique in the tenant. The ref is not part of the key, so a look-up by id never scans a ref.
create unique index entry_version_by_id
  on entry_version (tenant_id, entry_id, version);

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

-- Unique: the database itself refuses a second winner of a claim.
create unique index entry_live_by_claim
  on entry_version (tenant_id, claim_id)
  where ended_position is null and claim_id is not null;

-- "Which live entries have expired?"
create index entry_live_by_expiry
  on entry_version (tenant_id, expires_at)
  where ended_position is null and expires_at is not null;

-- "Which versions ended up to this position?"
create index entry_version_by_end
  on entry_version (tenant_id, ended_position, entry_id, version)
  where ended_position is not null;

-- "Which versions were recorded after this position?"
create index entry_version_by_recording
  on entry_version (tenant_id, recorded_position);
