-- Durable background work. `due_at` is when a job next needs attention: queued, when to run it; leased, when its lease ends.
create table job (
  tenant_id    text    not null,
  job_id       text    not null,
  kind         text    not null,
  status       text    not null,
  priority     integer not null,
  due_at       integer not null,
  payload      text    not null,
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

-- One row per tenant that has work waiting: a worker picks a tenant here, then looks inside it.
-- `turn` grows with every pick, so the tenant that waited longest is next, however much work another one has.
create table job_ready (
  tenant_id text    not null primary key,
  due_at    integer not null,
  turn      integer not null
) strict, without rowid;

create index job_ready_by_due on job_ready (due_at);
