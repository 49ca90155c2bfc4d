-- The schema of version 0.1.0.
--
-- Keys and indexes lead with the tenant; where one does not, a comment says why. There is no foreign key and no counter, as
-- in PostgreSQL. Instants are milliseconds since 1970 (UTC).


-- Tenants

create table tenant (
  tenant_id  text    not null primary key,
  -- A disabled tenant keeps its rows, but its keys are refused.
  status     text    not null default 'active',
  -- Keys the digests by which the audit names refs and subjects.
  mac_key    blob    not null,
  created_at integer not null
) strict, without rowid;

-- Few columns on purpose: every commit of the tenant locks and rewrites this row.
create table tenant_clock (
  tenant_id         text    not null primary key,
  position          integer not null,
  last_hash         text    not null,
  last_created_at   integer not null,
  redaction_version integer not null,
  -- Memory as of a position before this one can no longer be read. A column of this table because every commit and every
  -- read of the past checks it.
  history_from      integer not null default 0
) strict, without rowid;


-- Entries

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
  -- The position of the audit record with the digest of the current text. It is set when a secret was redacted in place;
  -- null means the version's own position.
  digest_position   integer,
  ended_position    integer,
  ended_reason      text,
  subject           text,
  origin            text    not null,
  -- Category, importance and claim, as JSON; null for entries that a client put without them.
  classification    text,
  claim_id          text,
  run_id            text,
  run_sequence      integer,
  -- Ids are unique in the tenant. The ref is not part of the key, so a look-up by id never scans a ref.
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
  on entry_version (tenant_id, recorded_position, entry_id, version);

-- Exact tag filter in list order. It has the positions of the version, so that an ended version costs no look-up.
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


-- Audit

-- One record per position, without content, chained by hash. The body names refs by keyed digest. `refs` has them in clear
-- for the change stream; they can be erased, so the hash does not cover them.
create table audit (
  tenant_id text    not null,
  position  integer not null,
  at        integer not null,
  body      text    not null,
  hash      text    not null,
  refs      text,
  primary key (tenant_id, position)
) strict, without rowid;


-- Idempotency

-- The outcome of a key's first call, in identifiers only; a repeated call renders its response from the stored rows.
create table idempotency (
  tenant_id  text    not null,
  key        text    not null,
  digest     text    not null,
  outcome    text    not null,
  created_at integer not null,
  primary key (tenant_id, key)
) strict, without rowid;

-- Keys are kept for a day; each new key deletes a few of the oldest.
create index idempotency_by_age on idempotency (tenant_id, created_at);


-- Administration

-- API keys, secrets, rules and settings, as small documents. No statement searches in `body`.
create table admin_record (
  tenant_id  text    not null,
  kind       text    not null,
  id         text    not null,
  revision   integer not null,
  body       text    not null,
  updated_at integer not null,
  primary key (tenant_id, kind, id)
) strict, without rowid;

-- When an API key was last used. It is not part of the key's record: using a key needs no position and no audit record.
create table key_use (
  tenant_id    text    not null,
  key_id       text    not null,
  last_used_at integer not null,
  primary key (tenant_id, key_id)
) strict, without rowid;


-- Jobs

-- Durable background work. `due_at` is when a job next needs attention: a queued job, when to run it; a leased job, when
-- its lease ends.
create table job (
  tenant_id    text    not null,
  job_id       text    not null,
  kind         text    not null,
  status       text    not null,
  priority     integer not null,
  due_at       integer not null,
  payload      text    not null,
  -- The two headers of W3C Trace Context as JSON; null without a trace, and when the job has ended.
  trace        text,
  attempts     integer not null,
  attempts_max integer not null,
  lost_leases  integer not null,
  lease_token  text,
  worker       text,
  progress     text,
  error        text,
  result       text,
  created_at   integer not null,
  started_at   integer,
  ended_at     integer,
  primary key (tenant_id, job_id)
) strict;

-- "The most urgent due job of this tenant."
create index job_by_urgency on job (tenant_id, priority desc, due_at, job_id) where status in ('queued', 'leased');

-- "When does this tenant next need a worker?"
create index job_by_due on job (tenant_id, due_at) where status in ('queued', 'leased');

-- "How many jobs are dead letters?", for the metrics.
create index job_dead on job (tenant_id, job_id) where status = 'dead';

create table schedule (
  tenant_id   text    not null,
  schedule_id text    not null,
  cron        text    not null,
  kind        text    not null,
  payload     text    not null,
  next_due_at integer not null,
  last_due_at integer,
  primary key (tenant_id, schedule_id)
) strict, without rowid;

create index schedule_by_due on schedule (tenant_id, next_due_at);

-- One row per tenant with queued work: a worker picks a tenant here, then a job of that tenant.
-- `turn` grows with every pick, so the tenant that waited longest is next, however much work another one has.
create table job_ready (
  tenant_id text    not null primary key,
  due_at    integer not null,
  turn      integer not null
) strict, without rowid;

-- Without the tenant: workers of all tenants ask it "which tenant has due work?".
create index job_ready_by_due on job_ready (due_at);


-- Runs of workflows

create table run (
  tenant_id         text    not null,
  run_id            text    not null,
  workflow_id       text    not null,
  workflow_version  integer not null,
  status            text    not null,
  -- Grows with every stored step. A step that was decided on another revision is refused.
  revision          integer not null,
  next_sequence     integer not null,
  snapshot_position integer not null,
  snapshot_at       integer not null,
  -- Also in `facts`; a column so that the active run of a scope can be found.
  scope_id          text,
  -- Also in `facts` and `text`; columns so that a list need not read those.
  parent_run_id     text,
  source_run_id     text,
  tags              text    not null,
  created_at        integer not null,
  updated_at        integer not null,
  ended_at          integer,
  -- JSON, and last: a step is checked by the columns before them, without reading past a large text.
  -- `facts` is written by the host alone; `text` comes from clients and is redacted. No index contains any of it, so
  -- overwriting the row leaves no copy.
  facts             text    not null,
  text              text    not null,
  primary key (tenant_id, run_id)
) strict;

-- "Newest first, of this workflow." Ids grow with time.
create index run_by_workflow on run (tenant_id, workflow_id, run_id);

-- "Newest first, in this status", and which runs are active: every status that is not an end.
create index run_by_status on run (tenant_id, status, run_id);

-- "Which run is active in this scope?"
create index run_active_by_scope on run (tenant_id, scope_id, run_id) where ended_at is null and scope_id is not null;

-- "What is the oldest snapshot that an active run still reads?"
create index run_active_by_snapshot on run (tenant_id, snapshot_position) where ended_at is null;

-- The events of a run, in order. Rows are added and never changed, except to redact a secret.
-- With rowid: without one, every payload above a kilobyte would take a page of its own.
create table run_event (
  tenant_id text    not null,
  run_id    text    not null,
  sequence  integer not null,
  type      text    not null,
  node_id   text,
  at        integer not null,
  payload   text    not null,
  primary key (tenant_id, run_id, sequence)
) strict;

-- The memory calls of a run, in identifiers only: entries by id and version, never their text.
create table run_call (
  tenant_id  text    not null,
  run_id     text    not null,
  ordinal    integer not null,
  sequence   integer not null,
  node_id    text    not null,
  op         text    not null,
  memory_ref text    not null,
  entries    text    not null,
  -- How many entries of the call were erased since; `entries` has the others.
  forgotten  integer,
  position   integer not null,
  at         integer not null,
  primary key (tenant_id, run_id, ordinal)
) strict;


-- Provenance

-- One ingested event. Retention deletes the messages; the hash of the payload stays.
create table source_event (
  tenant_id         text    not null,
  source_event_id   text    not null,
  service           text,
  event_id          text,
  subject           text    not null,
  agent_id          text,
  infer             integer not null,
  observed_at       integer not null,
  received_at       integer not null,
  -- Set when only id, service and arrival are left of the event. `event_id` is then a keyed digest.
  erased_at         integer,
  payload_hash      text    not null,
  -- Makes the audit's digest of the event unguessable, and is erased with the event.
  salt              text    not null,
  job_id            text    not null,
  actor             text    not null,
  request_id        text    not null,
  recorded_position integer not null,
  -- JSON from the client, and last, as in `run`. The messages are null when they are no longer kept.
  scope             text,
  evidence          text,
  metadata          text    not null,
  messages          text,
  primary key (tenant_id, source_event_id)
) strict;

-- Unique: the database itself refuses to ingest an event twice.
create unique index source_event_by_name on source_event (tenant_id, service, event_id) where service is not null;

-- "Which events are about this person?", newest first: ids grow with time.
create index source_event_by_subject on source_event (tenant_id, subject, source_event_id);

-- "Which events still have their messages?", oldest first.
create index source_event_kept on source_event (tenant_id, source_event_id, received_at) where messages is not null;

create table claim (
  tenant_id        text    not null,
  claim_id         text    not null,
  revision         integer not null,
  subject          text    not null,
  category         text    not null,
  claim_key        text,
  winner           text,
  is_contested     integer not null,
  pin              text,
  updated_position integer not null,
  primary key (tenant_id, claim_id)
) strict, without rowid;

create index claim_by_subject on claim (tenant_id, subject, claim_id);

-- "Which claims can only a person resolve?"
create index claim_contested on claim (tenant_id, claim_id) where is_contested = 1;

-- What each source stated, with the authority that it had then. Rows are added; only a withdrawal, a new priority and the
-- redaction of a secret change them.
create table assertion (
  tenant_id          text    not null,
  claim_id           text    not null,
  ordinal            integer not null,
  source_event_id    text    not null,
  candidate          integer not null,
  service            text,
  event_id           text,
  content            text    not null,
  content_key        text    not null,
  importance         integer not null,
  confidence         real    not null,
  priority           integer not null,
  observed_at        integer not null,
  entry_id           text,
  recorded_position  integer not null,
  withdrawn_position integer,
  primary key (tenant_id, claim_id, ordinal)
) strict;

create index assertion_by_event on assertion (tenant_id, source_event_id, candidate);


-- Compactions: many entries that became one

create table compaction (
  tenant_id         text    not null,
  compaction_id     text    not null,
  memory_ref        text    not null,
  output_id         text    not null,
  source_count      integer not null,
  byte_size         integer not null,
  -- The maintenance run that logged it.
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

-- Lineage: which versions went into which compaction. It is kept after an undo, and it shows which outputs contain the text
-- of an entry that is to be erased.
create table compaction_source (
  tenant_id     text    not null,
  compaction_id text    not null,
  ordinal       integer not null,
  entry_id      text    not null,
  version       integer not null,
  primary key (tenant_id, compaction_id, ordinal)
) strict, without rowid;

-- "Which compactions did this entry go into?"
create index compaction_source_by_entry on compaction_source (tenant_id, entry_id, compaction_id);


-- Search by terms. These tables are derived from `entry_version`.

-- The queue of the indexer: versions that are not indexed yet, in the order they were recorded. A commit adds rows here and
-- changes nothing else of the index; the indexer processes many rows at a time. A search also scans this queue, so it
-- misses nothing.
create table search_waiting (
  tenant_id         text    not null,
  memory_ref        text    not null,
  recorded_position integer not null,
  -- The rank in the commit.
  place             integer not null,
  entry_id          text    not null,
  version           integer not null,
  primary key (tenant_id, memory_ref, recorded_position, place)
) strict, without rowid;

-- One ref with indexed rows. It is named by a number, which leads every key of its terms, so refs share no list of rows.
create table search_scope (
  scope_id   integer not null primary key,
  tenant_id  text    not null,
  memory_ref text    not null,
  -- The number of the newest row, and how many rows there are. Rows are deleted; their numbers are never used again.
  newest     integer not null,
  row_count  integer not null
) strict;

create unique index search_scope_by_ref on search_scope (tenant_id, memory_ref);

-- One indexed version. Its id is made of the scope's number and its own, so the rows of a ref are adjacent, oldest first.
create table search_row (
  row_id            integer not null primary key,
  tenant_id         text    not null,
  entry_id          text    not null,
  version           integer not null,
  recorded_position integer not null,
  -- The keys of the row: to delete it from the full-text index, SQLite must be given the same keys again.
  -- Terms are words of the text. Marks are for filters: tags, category, subject, writer, agent and time.
  terms             text    not null,
  marks             text    not null default ''
) strict;

create unique index search_row_by_version on search_row (tenant_id, entry_id, version);

-- The full-text index: keys and row ids, no texts. `secure-delete` removes deleted keys from the file at once.
create virtual table search_key using fts5 (
  keys, content = '', detail = none, columnsize = 0, tokenize = 'ascii'
);

insert into search_key (search_key, rank) values ('secure-delete', 1);


-- Search by meaning

-- One vector per version. A job makes it after the version was stored; it is deleted with the version. The key is the place
-- of the version, so the vectors of a ref are adjacent, oldest first.
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
  -- Of the text, so that the same text is not embedded twice.
  content_hash      text    not null,
  made_at           integer not null,
  -- Four bytes for each number, little-endian, normalised to length 1.
  vector            blob    not null,
  primary key (tenant_id, memory_ref, created_position, ordinal, version)
) strict;

create index entry_vector_by_text on entry_vector (tenant_id, content_hash);

-- For each model, the position up to which every version of the tenant was processed.
create table vector_progress (
  tenant_id  text    not null,
  model      text    not null,
  dimensions integer not null,
  position   integer not null,
  primary key (tenant_id, model, dimensions)
) strict, without rowid;


-- Forgetting

-- What is being erased: every read leaves out rows that match a row of this table. It is empty most of the time. Its names
-- are erased with the rest.
create table fence (
  tenant_id     text    not null,
  forget_id     text    not null,
  kind          text    not null,
  value         text    not null,
  from_sequence integer not null,
  to_sequence   integer not null,
  position      integer not null,
  primary key (tenant_id, forget_id, kind, value, from_sequence)
) strict, without rowid;
