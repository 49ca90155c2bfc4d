-- What services tell, which claims it speaks to, and who wins them.

-- What is known of an entry beyond its text (category, importance, claim), as JSON; null for entries that were simply put.
alter table entry_version add column classification text collate "C";
alter table entry_version add column claim_id text collate "C";

-- The database itself refuses a second winner of a claim.
create unique index entry_live_by_claim on entry_version (tenant_id, claim_id)
  where ended_position is null and claim_id is not null;

-- One call that told something. The messages go when retention passes; the hash of what was sent stays.
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
  payload_hash      text collate "C" not null,
  -- Makes the audit's digest of the event unguessable, and is erased with it.
  salt              text collate "C" not null,
  job_id            text collate "C" not null,
  actor             text collate "C" not null,
  request_id        text collate "C" not null,
  recorded_position bigint not null,
  -- JSON, and last: what came from outside. The messages are null once they are no longer kept.
  scope             text collate "C",
  evidence          text collate "C",
  metadata          text collate "C" not null,
  messages          text collate "C",
  primary key (tenant_id, source_event_id)
);

-- An event is taken once.
create unique index source_event_by_name on source_event (tenant_id, service, event_id) where service is not null;

-- "What was told about this person?", newest first: ids grow with time.
create index source_event_by_subject on source_event (tenant_id, subject, source_event_id);

-- "Whose messages are still kept?", oldest first.
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

-- "What can only a person settle?"
create index claim_contested on claim (tenant_id, claim_id) where is_contested = 1;

-- What each source stated, with the authority it had then. Rows are added; only withdrawal, a new priority and taking a
-- secret out change them.
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
