-- The schema of version 0.1.0.
--
-- Keys and indexes lead with the tenant; where one does not, a comment says why. There is no foreign key, because it would
-- lock rows of other tables, and no sequence, because transactions commit out of its order.
-- Instants are milliseconds since 1970 (UTC). Text is compared by its bytes (collate "C"), as in SQLite, whatever the locale
-- of the server.


-- Tenants

create table tenant (
  tenant_id  text collate "C" not null primary key,
  -- A disabled tenant keeps its rows, but its keys are refused.
  status     text collate "C" not null default 'active',
  -- Keys the digests by which the audit names refs and subjects.
  mac_key    bytea not null,
  created_at bigint not null
);

-- Few columns on purpose: every commit of the tenant locks and rewrites this row.
create table tenant_clock (
  tenant_id         text collate "C" not null primary key,
  position          bigint not null,
  last_hash         text collate "C" not null,
  last_created_at   bigint not null,
  redaction_version bigint not null,
  -- Memory as of a position before this one can no longer be read. A column of this table because every commit and every
  -- read of the past checks it.
  history_from      bigint not null default 0
) with (fillfactor = 50); -- free space on the page, so that rewriting the row changes no index


-- Entries

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
  -- The position of the audit record with the digest of the current text. It is set when a secret was redacted in place;
  -- null means the version's own position.
  digest_position   bigint,
  ended_position    bigint,
  ended_reason      text collate "C",
  subject           text collate "C",
  origin            text collate "C" not null,
  -- Category, importance and claim, as JSON; null for entries that a client put without them.
  classification    text collate "C",
  claim_id          text collate "C",
  run_id            text collate "C",
  run_sequence      bigint,
  -- Ids are unique in the tenant. The ref is not part of the key, so a look-up by id never scans a ref.
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


-- Audit

-- One record per position, without content, chained by hash. The body names refs by keyed digest. `refs` has them in clear
-- for the change stream; they can be erased, so the hash does not cover them.
create table audit (
  tenant_id text collate "C" not null,
  position  bigint not null,
  at        bigint not null,
  body      text collate "C" not null,
  hash      text collate "C" not null,
  refs      text collate "C",
  primary key (tenant_id, position)
);


-- Idempotency

-- The outcome of a key's first call, in identifiers only; a repeated call renders its response from the stored rows.
create table idempotency (
  tenant_id  text collate "C" not null,
  key        text collate "C" not null,
  digest     text collate "C" not null,
  outcome    text collate "C" not null,
  created_at bigint not null,
  primary key (tenant_id, key)
);

-- Keys are kept for a day; each new key deletes a few of the oldest.
create index idempotency_by_age on idempotency (tenant_id, created_at);


-- Administration

-- API keys, secrets, rules and settings, as small documents. No statement searches in `body`.
create table admin_record (
  tenant_id  text collate "C" not null,
  kind       text collate "C" not null,
  id         text collate "C" not null,
  revision   bigint not null,
  body       text collate "C" not null,
  updated_at bigint not null,
  primary key (tenant_id, kind, id)
);

-- When an API key was last used. It is not part of the key's record: using a key needs no position and no audit record.
create table key_use (
  tenant_id    text collate "C" not null,
  key_id       text collate "C" not null,
  last_used_at bigint not null,
  primary key (tenant_id, key_id)
);


-- Jobs

-- Durable background work. `due_at` is when a job next needs attention: a queued job, when to run it; a leased job, when
-- its lease ends.
create table job (
  tenant_id    text collate "C" not null,
  job_id       text collate "C" not null,
  kind         text collate "C" not null,
  status       text collate "C" not null,
  priority     bigint not null,
  due_at       bigint not null,
  payload      text collate "C" not null,
  -- The two headers of W3C Trace Context as JSON; null without a trace, and when the job has ended.
  trace        text collate "C",
  attempts     bigint not null,
  attempts_max bigint not null,
  lost_leases  bigint not null,
  lease_token  text collate "C",
  worker       text collate "C",
  progress     text collate "C",
  error        text collate "C",
  result       text collate "C",
  created_at   bigint not null,
  started_at   bigint,
  ended_at     bigint,
  primary key (tenant_id, job_id)
);

-- "The most urgent due job of this tenant."
create index job_by_urgency on job (tenant_id, priority desc, due_at, job_id) where status in ('queued', 'leased');

-- "When does this tenant next need a worker?"
create index job_by_due on job (tenant_id, due_at) where status in ('queued', 'leased');

-- "How many jobs are dead letters?", for the metrics.
create index job_dead on job (tenant_id, job_id) where status = 'dead';

create table schedule (
  tenant_id   text collate "C" not null,
  schedule_id text collate "C" not null,
  cron        text collate "C" not null,
  kind        text collate "C" not null,
  payload     text collate "C" not null,
  next_due_at bigint not null,
  last_due_at bigint,
  primary key (tenant_id, schedule_id)
);

create index schedule_by_due on schedule (tenant_id, next_due_at);

-- One row per tenant with queued work: a worker picks a tenant here, then a job of that tenant.
-- `turn` grows with every pick, so the tenant that waited longest is next, however much work another one has.
create table job_ready (
  tenant_id text collate "C" not null primary key,
  due_at    bigint not null,
  turn      bigint not null
);

-- Without the tenant: workers of all tenants ask it "which tenant has due work?".
create index job_ready_by_due on job_ready (due_at);


-- Runs of workflows

create table run (
  tenant_id         text collate "C" not null,
  run_id            text collate "C" not null,
  workflow_id       text collate "C" not null,
  workflow_version  bigint not null,
  status            text collate "C" not null,
  -- Grows with every stored step. A step that was decided on another revision is refused.
  revision          bigint not null,
  next_sequence     bigint not null,
  snapshot_position bigint not null,
  snapshot_at       bigint not null,
  -- Also in `facts`; a column so that the active run of a scope can be found.
  scope_id          text collate "C",
  -- Also in `facts` and `text`; columns so that a list need not read those.
  parent_run_id     text collate "C",
  source_run_id     text collate "C",
  tags              text collate "C" not null,
  created_at        bigint not null,
  updated_at        bigint not null,
  ended_at          bigint,
  -- JSON, and last: a step is checked by the columns before them, without reading past a large text.
  -- `facts` is written by the host alone; `text` comes from clients and is redacted. No index contains any of it, so
  -- the next vacuum removes what a step overwrites.
  facts             text collate "C" not null,
  text              text collate "C" not null,
  primary key (tenant_id, run_id)
) with (fillfactor = 70); -- free space on the page, so that a step rewrites the row and changes no index

-- "Newest first, of this workflow." Ids grow with time.
create index run_by_workflow on run (tenant_id, workflow_id, run_id);

-- "Newest first, in this status", and which runs are active: every status that is not an end.
create index run_by_status on run (tenant_id, status, run_id);

-- "Which run is active in this scope?"
create index run_active_by_scope on run (tenant_id, scope_id, run_id) where ended_at is null and scope_id is not null;

-- "What is the oldest snapshot that an active run still reads?"
create index run_active_by_snapshot on run (tenant_id, snapshot_position) where ended_at is null;

-- The events of a run, in order. Rows are added and never changed, except to redact a secret.
create table run_event (
  tenant_id text collate "C" not null,
  run_id    text collate "C" not null,
  sequence  bigint not null,
  type      text collate "C" not null,
  node_id   text collate "C",
  at        bigint not null,
  payload   text collate "C" not null,
  primary key (tenant_id, run_id, sequence)
);

-- The memory calls of a run, in identifiers only: entries by id and version, never their text.
create table run_call (
  tenant_id  text collate "C" not null,
  run_id     text collate "C" not null,
  ordinal    bigint not null,
  sequence   bigint not null,
  node_id    text collate "C" not null,
  op         text collate "C" not null,
  memory_ref text collate "C" not null,
  entries    text collate "C" not null,
  -- How many entries of the call were erased since; `entries` has the others.
  forgotten  bigint,
  position   bigint not null,
  at         bigint not null,
  primary key (tenant_id, run_id, ordinal)
);


-- Provenance

-- One ingested event. Retention deletes the messages; the hash of the payload stays.
create table source_event (
  tenant_id         text collate "C" not null,
  source_event_id   text collate "C" not null,
  service           text collate "C",
  event_id          text collate "C",
  subject           text collate "C" not null,
  agent_id          text collate "C",
  infer             bigint not null,
  observed_at       bigint not null,
  received_at       bigint not null,
  -- Set when only id, service and arrival are left of the event. `event_id` is then a keyed digest.
  erased_at         bigint,
  payload_hash      text collate "C" not null,
  -- Makes the audit's digest of the event unguessable, and is erased with the event.
  salt              text collate "C" not null,
  job_id            text collate "C" not null,
  actor             text collate "C" not null,
  request_id        text collate "C" not null,
  recorded_position bigint not null,
  -- JSON from the client, and last, as in `run`. The messages are null when they are no longer kept.
  scope             text collate "C",
  evidence          text collate "C",
  metadata          text collate "C" not null,
  messages          text collate "C",
  primary key (tenant_id, source_event_id)
);

-- Unique: the database itself refuses to ingest an event twice.
create unique index source_event_by_name on source_event (tenant_id, service, event_id) where service is not null;

-- "Which events are about this person?", newest first: ids grow with time.
create index source_event_by_subject on source_event (tenant_id, subject, source_event_id);

-- "Which events still have their messages?", oldest first.
create index source_event_kept on source_event (tenant_id, source_event_id, received_at) where messages is not null;

create table claim (
  tenant_id        text collate "C" not null,
  claim_id         text collate "C" not null,
  revision         bigint not null,
  subject          text collate "C" not null,
  category         text collate "C" not null,
  claim_key        text collate "C",
  winner           text collate "C",
  is_contested     bigint not null,
  pin              text collate "C",
  updated_position bigint not null,
  primary key (tenant_id, claim_id)
);

create index claim_by_subject on claim (tenant_id, subject, claim_id);

-- "Which claims can only a person resolve?"
create index claim_contested on claim (tenant_id, claim_id) where is_contested = 1;

-- What each source stated, with the authority that it had then. Rows are added; only a withdrawal, a new priority and the
-- redaction of a secret change them.
create table assertion (
  tenant_id          text collate "C" not null,
  claim_id           text collate "C" not null,
  ordinal            bigint not null,
  source_event_id    text collate "C" not null,
  candidate          bigint not null,
  service            text collate "C",
  event_id           text collate "C",
  content            text collate "C" not null,
  content_key        text collate "C" not null,
  importance         bigint not null,
  confidence         double precision not null,
  priority           bigint not null,
  observed_at        bigint not null,
  entry_id           text collate "C",
  recorded_position  bigint not null,
  withdrawn_position bigint,
  primary key (tenant_id, claim_id, ordinal)
);

create index assertion_by_event on assertion (tenant_id, source_event_id, candidate);


-- Compactions: many entries that became one

create table compaction (
  tenant_id         text collate "C" not null,
  compaction_id     text collate "C" not null,
  memory_ref        text collate "C" not null,
  output_id         text collate "C" not null,
  source_count      bigint not null,
  byte_size         bigint not null,
  -- The maintenance run that logged it.
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

-- Lineage: which versions went into which compaction. It is kept after an undo, and it shows which outputs contain the text
-- of an entry that is to be erased.
create table compaction_source (
  tenant_id     text collate "C" not null,
  compaction_id text collate "C" not null,
  ordinal       bigint not null,
  entry_id      text collate "C" not null,
  version       bigint not null,
  primary key (tenant_id, compaction_id, ordinal)
);

-- "Which compactions did this entry go into?"
create index compaction_source_by_entry on compaction_source (tenant_id, entry_id, compaction_id);


-- Search by terms. These tables are derived from `entry_version`.

-- The queue of the indexer: versions that are not indexed yet, in the order they were recorded. A commit adds rows here and
-- changes nothing else of the index; the indexer processes many rows at a time. A search also scans this queue, so it
-- misses nothing.
create table search_waiting (
  tenant_id         text collate "C" not null,
  memory_ref        text collate "C" not null,
  recorded_position bigint not null,
  -- The rank in the commit.
  place             bigint not null,
  entry_id          text collate "C" not null,
  version           bigint not null,
  primary key (tenant_id, memory_ref, recorded_position, place)
);

-- One ref with indexed rows.
create table search_scope (
  tenant_id  text collate "C" not null,
  memory_ref text collate "C" not null,
  -- The number of the newest row, and how many rows there are. Rows are deleted; their numbers are never used again.
  newest     bigint not null,
  row_count  bigint not null,
  primary key (tenant_id, memory_ref)
);

-- One indexed version.
create table search_row (
  tenant_id         text collate "C" not null,
  memory_ref        text collate "C" not null,
  nth               bigint not null,
  entry_id          text collate "C" not null,
  version           bigint not null,
  recorded_position bigint not null,
  -- The keys of the row: to delete it from the lists, they must be named again.
  -- Terms are words of the text. Marks are for filters: tags, category, subject, writer, agent and time.
  terms             text collate "C" not null,
  marks             text collate "C" not null default '',
  primary key (tenant_id, memory_ref, nth)
);

create unique index search_row_by_version on search_row (tenant_id, entry_id, version);

-- The rows of each key, newest first, for 4,096 row numbers at a time, packed (src/adapters/postgres/packed-rows.ts). A GIN
-- index has no order, so a search for the newest rows of a common word would fetch all of them; and it keeps keys whose
-- rows were erased. A transaction that changes the lists of a ref locks its row of `search_scope`.
create table search_list (
  tenant_id  text collate "C" not null,
  memory_ref text collate "C" not null,
  key        text collate "C" not null,
  stretch    integer not null,
  row_count  integer not null,
  rows       bytea not null,
  primary key (tenant_id, memory_ref, key, stretch)
) with (fillfactor = 80);

-- Short, and often appended to: compressing it once more costs more than it saves.
alter table search_list alter column rows set storage main;


-- Search by meaning

-- One vector per version. A job makes it after the version was stored; it is deleted with the version. The key is the place
-- of the version, so the vectors of a ref are adjacent, oldest first.
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
  -- Of the text, so that the same text is not embedded twice.
  content_hash      text collate "C" not null,
  made_at           bigint not null,
  -- Four bytes for each number, little-endian, normalised to length 1.
  vector            bytea not null,
  primary key (tenant_id, memory_ref, created_position, ordinal, version)
);

-- Numbers do not compress.
alter table entry_vector alter column vector set storage external;

create index entry_vector_by_text on entry_vector (tenant_id, content_hash);

-- For each model, the position up to which every version of the tenant was processed.
create table vector_progress (
  tenant_id  text collate "C" not null,
  model      text collate "C" not null,
  dimensions bigint not null,
  position   bigint not null,
  primary key (tenant_id, model, dimensions)
);


-- Forgetting

-- What is being erased: every read leaves out rows that match a row of this table. It is empty most of the time. Its names
-- are erased with the rest.
create table fence (
  tenant_id     text collate "C" not null,
  forget_id     text collate "C" not null,
  kind          text collate "C" not null,
  value         text collate "C" not null,
  from_sequence bigint not null,
  to_sequence   bigint not null,
  position      bigint not null,
  primary key (tenant_id, forget_id, kind, value, from_sequence)
);


-- Processes

-- Which tenants each process has requests of, so that a busy tenant is held back in all processes while other tenants have
-- requests in any. A few rows, overwritten a few times a second. They may be lost, so the table is unlogged.
create unlogged table tenant_activity (
  tenant_id  text collate "C" not null,
  process_id text collate "C" not null,
  active_at  bigint not null,
  primary key (tenant_id, process_id)
);


-- Statistics

-- PostgreSQL keeps samples of columns until the next ANALYZE, beyond the life of their rows. So columns with what people
-- wrote or are called have no statistics.
alter table entry_version
  alter column memory_ref set statistics 0,
  alter column content set statistics 0,
  alter column tags set statistics 0,
  alter column salt set statistics 0,
  alter column subject set statistics 0,
  alter column origin set statistics 0,
  alter column classification set statistics 0;
alter table entry_tag
  alter column memory_ref set statistics 0,
  alter column tag set statistics 0;
alter table audit
  alter column body set statistics 0,
  alter column refs set statistics 0;
alter table idempotency
  alter column key set statistics 0,
  alter column outcome set statistics 0;
alter table admin_record
  alter column id set statistics 0,
  alter column body set statistics 0;
alter table job
  alter column payload set statistics 0,
  alter column progress set statistics 0,
  alter column error set statistics 0,
  alter column result set statistics 0;
alter table schedule
  alter column payload set statistics 0;
alter table run
  alter column tags set statistics 0,
  alter column facts set statistics 0,
  alter column text set statistics 0;
alter table run_event
  alter column payload set statistics 0;
alter table run_call
  alter column memory_ref set statistics 0,
  alter column entries set statistics 0;
alter table source_event
  alter column event_id set statistics 0,
  alter column subject set statistics 0,
  alter column agent_id set statistics 0,
  alter column payload_hash set statistics 0,
  alter column salt set statistics 0,
  alter column actor set statistics 0,
  alter column request_id set statistics 0,
  alter column scope set statistics 0,
  alter column evidence set statistics 0,
  alter column metadata set statistics 0,
  alter column messages set statistics 0;
alter table claim
  alter column subject set statistics 0,
  alter column claim_key set statistics 0,
  alter column pin set statistics 0;
alter table assertion
  alter column event_id set statistics 0,
  alter column content set statistics 0,
  alter column content_key set statistics 0;
alter table compaction
  alter column memory_ref set statistics 0;
alter table search_waiting
  alter column memory_ref set statistics 0;
alter table search_scope
  alter column memory_ref set statistics 0;
alter table search_row
  alter column memory_ref set statistics 0,
  alter column terms set statistics 0,
  alter column marks set statistics 0;
alter table search_list
  alter column memory_ref set statistics 0,
  alter column key set statistics 0;
alter table entry_vector
  alter column memory_ref set statistics 0,
  alter column content_hash set statistics 0,
  alter column vector set statistics 0;
alter table fence
  alter column value set statistics 0;
