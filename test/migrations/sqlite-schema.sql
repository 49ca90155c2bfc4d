CREATE TABLE admin_record (
 tenant_id text not null,
 kind text not null,
 id text not null,
 revision integer not null,
 body text not null,
 updated_at integer not null,
 primary key (tenant_id, kind, id)
) strict, without rowid;
CREATE TABLE assertion (
 tenant_id text not null,
 claim_id text not null,
 ordinal integer not null,
 source_event_id text not null,
 candidate integer not null,
 service text,
 event_id text,
 content text not null,
 content_key text not null,
 importance integer not null,
 confidence real not null,
 priority integer not null,
 observed_at integer not null,
 entry_id text,
 recorded_position integer not null,
 withdrawn_position integer, seal text not null default '', trust text not null default 'agent', contained_by text, withdrawal_contained_by text,
 primary key (tenant_id, claim_id, ordinal)
) strict;
CREATE INDEX assertion_by_entry on assertion (tenant_id, claim_id, entry_id, content_key);
CREATE INDEX assertion_by_event on assertion (tenant_id, source_event_id, candidate);
CREATE TABLE audit (
 tenant_id text not null,
 position integer not null,
 at integer not null,
 body text not null,
 hash text not null,
 refs text,
 primary key (tenant_id, position)
) strict, without rowid;
CREATE TABLE claim (
 tenant_id text not null,
 claim_id text not null,
 revision integer not null,
 subject text not null,
 category text not null,
 claim_key text,
 winner text,
 is_contested integer not null,
 pin text,
 updated_position integer not null,
 primary key (tenant_id, claim_id)
) strict, without rowid;
CREATE INDEX claim_by_subject on claim (tenant_id, subject, claim_id);
CREATE INDEX claim_contested on claim (tenant_id, claim_id) where is_contested = 1;
CREATE TABLE compaction (
 tenant_id text not null,
 compaction_id text not null,
 memory_ref text not null,
 output_id text not null,
 source_count integer not null,
 byte_size integer not null,
 run_id text not null,
 summariser text not null,
 status text not null,
 recorded_position integer not null,
 at integer not null,
 undone_position integer,
 undone_at integer, token_budget integer, tokens_used integer, checksum text,
 primary key (tenant_id, compaction_id)
) strict;
CREATE INDEX compaction_by_ref on compaction (tenant_id, memory_ref, compaction_id);
CREATE TABLE compaction_source (
 tenant_id text not null,
 compaction_id text not null,
 ordinal integer not null,
 entry_id text not null,
 version integer not null,
 primary key (tenant_id, compaction_id, ordinal)
) strict, without rowid;
CREATE INDEX compaction_source_by_entry on compaction_source (tenant_id, entry_id, compaction_id);
CREATE VIEW entry_tag as
select s.tenant_id, s.memory_ref, t.*
 from search_scope s
 cross join search_tag t
 on t.scope_id = s.scope_id;
CREATE TABLE entry_vector (
 tenant_id text not null,
 memory_ref text not null,
 created_position integer not null,
 ordinal integer not null,
 version integer not null,
 entry_id text not null,
 recorded_position integer not null,
 model text not null,
 dimensions integer not null,
 content_hash text not null,
 made_at integer not null,
 vector blob not null,
 primary key (tenant_id, memory_ref, created_position, ordinal, version)
) strict;
CREATE INDEX entry_vector_by_text on entry_vector (tenant_id, content_hash);
CREATE TABLE "entry_version" (
 row_id integer not null primary key,
 tenant_id text not null,
 memory_ref text not null,
 entry_id text not null,
 version integer not null,
 created_at integer not null,
 expires_at integer,
 created_position integer not null,
 ordinal integer not null,
 recorded_position integer not null,
 digest_position integer,
 ended_position integer,
 ended_reason text,
 subject text,
 claim_id text,
 run_id text,
 run_sequence integer,
 origin text not null,
 classification text,
 salt text not null,
 tags text not null,
 content text not null
, trust integer not null default 1, readers text) strict;
CREATE UNIQUE INDEX entry_live_by_age
 on entry_version (tenant_id, memory_ref, created_position, ordinal)
 where ended_position is null;
CREATE UNIQUE INDEX entry_live_by_claim
 on entry_version (tenant_id, claim_id)
 where ended_position is null and claim_id is not null;
CREATE INDEX entry_live_by_expiry
 on entry_version (tenant_id, expires_at)
 where ended_position is null and expires_at is not null;
CREATE INDEX entry_live_untrusted
 on entry_version (tenant_id, entry_id)
 where ended_position is null and trust = 0;
CREATE INDEX entry_restricted
 on entry_version (tenant_id, memory_ref)
 where readers is not null;
CREATE UNIQUE INDEX entry_version_by_age
 on entry_version (tenant_id, memory_ref, created_position, ordinal, version);
CREATE INDEX entry_version_by_end
 on entry_version (tenant_id, ended_position, entry_id, version)
 where ended_position is not null;
CREATE UNIQUE INDEX entry_version_by_id
 on entry_version (tenant_id, entry_id, version);
CREATE INDEX entry_version_by_recording
 on entry_version (tenant_id, recorded_position);
CREATE INDEX entry_version_by_run
 on entry_version (tenant_id, run_id, run_sequence)
 where run_id is not null;
CREATE TABLE fence (
 tenant_id text not null,
 forget_id text not null,
 kind text not null,
 value text not null,
 from_sequence integer not null,
 to_sequence integer not null,
 position integer not null,
 primary key (tenant_id, forget_id, kind, value, from_sequence)
) strict, without rowid;
CREATE TABLE idempotency (
 tenant_id text not null,
 key text not null,
 digest text not null,
 outcome text not null,
 created_at integer not null,
 primary key (tenant_id, key)
) strict, without rowid;
CREATE INDEX idempotency_by_age on idempotency (tenant_id, created_at);
CREATE TABLE job (
 tenant_id text not null,
 job_id text not null,
 kind text not null,
 status text not null,
 priority integer not null,
 due_at integer not null,
 payload text not null,
 trace text,
 attempts integer not null,
 attempts_max integer not null,
 lost_leases integer not null,
 lease_token text,
 worker text,
 progress text,
 error text,
 result text,
 created_at integer not null,
 started_at integer,
 ended_at integer,
 primary key (tenant_id, job_id)
) strict;
CREATE INDEX job_by_due on job (tenant_id, due_at) where status in ('queued', 'leased');
CREATE INDEX job_by_urgency on job (tenant_id, priority desc, due_at, job_id) where status in ('queued', 'leased');
CREATE INDEX job_dead on job (tenant_id, job_id) where status = 'dead';
CREATE INDEX job_waiting_deliveries on job (tenant_id, json_extract(payload, '$.webhookId'))
 where kind = 'colophon.webhook' and status in ('queued', 'leased');
CREATE TABLE job_ready (
 tenant_id text not null primary key,
 due_at integer not null,
 turn integer not null
) strict, without rowid;
CREATE INDEX job_ready_by_due on job_ready (due_at);
CREATE TABLE key_use (
 tenant_id text not null,
 key_id text not null,
 last_used_at integer not null,
 primary key (tenant_id, key_id)
) strict, without rowid;
CREATE TABLE log_tile (
 tenant_id text not null,
 level integer not null,
 tile integer not null,
 root text not null,
 primary key (tenant_id, level, tile)
) strict, without rowid;
CREATE TABLE person_spelling (
 tenant_id text not null,
 folded text not null,
 spelling text not null,
 first_position integer not null,
 last_position integer not null,
 primary key (tenant_id, folded, spelling)
) strict, without rowid;
CREATE TABLE run (
 tenant_id text not null,
 run_id text not null,
 workflow_id text not null,
 workflow_version integer not null,
 status text not null,
 revision integer not null,
 next_sequence integer not null,
 snapshot_position integer not null,
 snapshot_at integer not null,
 scope_id text,
 parent_run_id text,
 source_run_id text,
 tags text not null,
 created_at integer not null,
 updated_at integer not null,
 ended_at integer,
 facts text not null,
 text text not null,
 primary key (tenant_id, run_id)
) strict;
CREATE INDEX run_active_by_scope on run (tenant_id, scope_id, run_id) where ended_at is null and scope_id is not null;
CREATE INDEX run_active_by_snapshot on run (tenant_id, snapshot_position) where ended_at is null;
CREATE INDEX run_by_status on run (tenant_id, status, run_id);
CREATE INDEX run_by_workflow on run (tenant_id, workflow_id, run_id);
CREATE TABLE run_call (
 tenant_id text not null,
 run_id text not null,
 ordinal integer not null,
 sequence integer not null,
 node_id text not null,
 op text not null,
 memory_ref text not null,
 entries text not null,
 forgotten integer,
 position integer not null,
 at integer not null,
 primary key (tenant_id, run_id, ordinal)
) strict;
CREATE TABLE run_event (
 tenant_id text not null,
 run_id text not null,
 sequence integer not null,
 type text not null,
 node_id text,
 at integer not null,
 payload text not null, cause integer,
 primary key (tenant_id, run_id, sequence)
) strict;
CREATE TABLE schedule (
 tenant_id text not null,
 schedule_id text not null,
 cron text not null,
 kind text not null,
 payload text not null,
 next_due_at integer not null,
 last_due_at integer,
 primary key (tenant_id, schedule_id)
) strict, without rowid;
CREATE INDEX schedule_by_due on schedule (tenant_id, next_due_at);
CREATE TABLE schema_migration (
 number integer not null primary key, name text not null, checksum text not null, applied_at integer not null) strict;
CREATE VIRTUAL TABLE search_key using fts5 (
 keys, content = '', detail = none, columnsize = 0, tokenize = 'ascii'
);
CREATE TABLE 'search_key_config'(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE TABLE 'search_key_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'search_key_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE search_rules (rules text not null primary key) strict, without rowid;
CREATE TABLE search_scope (
 scope_id integer not null primary key,
 tenant_id text not null,
 memory_ref text not null,
 newest integer not null,
 indexed integer not null,
 row_count integer not null,
 highest_position integer not null,
 unordered_to integer not null
) strict;
CREATE UNIQUE INDEX search_scope_by_ref on search_scope (tenant_id, memory_ref);
CREATE TABLE search_tag (
 scope_id integer not null,
 tag text not null,
 created_position integer not null,
 ordinal integer not null,
 version integer not null,
 recorded_position integer not null,
 ended_position integer,
 primary key (scope_id, tag, created_position, ordinal, version)
) strict, without rowid;
CREATE TABLE source_event (
 tenant_id text not null,
 source_event_id text not null,
 service text,
 event_id text,
 subject text not null,
 agent_id text,
 infer integer not null,
 observed_at integer not null,
 received_at integer not null,
 erased_at integer,
 payload_hash text not null,
 salt text not null,
 job_id text not null,
 actor text not null,
 request_id text not null,
 recorded_position integer not null,
 scope text,
 evidence text,
 metadata text not null,
 messages text, is_hash_private integer not null default 0, trust text not null default 'agent', readers text,
 primary key (tenant_id, source_event_id)
) strict;
CREATE UNIQUE INDEX source_event_by_name on source_event (tenant_id, service, event_id) where service is not null;
CREATE INDEX source_event_by_subject on source_event (tenant_id, subject, source_event_id);
CREATE INDEX source_event_kept on source_event (tenant_id, source_event_id, received_at) where messages is not null;
CREATE TABLE tenant (
 tenant_id text not null primary key,
 status text not null default 'active',
 mac_key blob not null,
 created_at integer not null
) strict, without rowid;
CREATE TABLE tenant_clock (
 tenant_id text not null primary key,
 position integer not null,
 last_hash text not null,
 last_created_at integer not null,
 redaction_version integer not null,
 history_from integer not null default 0
) strict, without rowid;
CREATE TABLE vector_progress (
 tenant_id text not null,
 model text not null,
 dimensions integer not null,
 position integer not null,
 primary key (tenant_id, model, dimensions)
) strict, without rowid;
