-- What services tell, which claims it speaks to, and who wins them.

-- What is known of an entry beyond its text (category, importance, claim), as JSON; null for entries that were simply put.
alter table entry_version add column classification text;
alter table entry_version add column claim_id text;

-- The database itself refuses a second winner of a claim.
create unique index entry_live_by_claim on entry_version (tenant_id, claim_id)
  where ended_position is null and claim_id is not null;

-- One call that told something. The messages go when retention passes; the hash of what was sent stays.
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
  payload_hash      text    not null,
  -- Makes the audit's digest of the event unguessable, and is erased with it.
  salt              text    not null,
  job_id            text    not null,
  actor             text    not null,
  request_id        text    not null,
  recorded_position integer not null,
  -- JSON, and last: what came from outside. The messages are null once they are no longer kept.
  scope             text,
  evidence          text,
  metadata          text    not null,
  messages          text,
  primary key (tenant_id, source_event_id)
) strict;

-- An event is taken once.
create unique index source_event_by_name on source_event (tenant_id, service, event_id) where service is not null;

-- "What was told about this person?", newest first: ids grow with time.
create index source_event_by_subject on source_event (tenant_id, subject, source_event_id);

-- "Whose messages are still kept?", oldest first.
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

-- "What can only a person settle?"
create index claim_contested on claim (tenant_id, claim_id) where is_contested = 1;

-- What each source stated, with the authority it had then. Rows are added; only withdrawal, a new priority and taking a
-- secret out change them.
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
