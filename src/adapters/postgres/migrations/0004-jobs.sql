-- Durable background work. `due_at` is when a job next needs attention: queued, when to run it; leased, when its lease ends.
create table job (
  tenant_id    text collate "C" not null,
  job_id       text collate "C" not null,
  kind         text collate "C" not null,
  status       text collate "C" not null,
  priority     bigint not null,
  due_at       bigint not null,
  payload      text collate "C" not null,
  attempts     bigint not null,
  attempts_max bigint not null,
  lost_leases  bigint not null,
  lease_token  text,
  worker       text,
  progress     text,
  error        text,
  result       text,
  created_at   bigint not null,
  started_at   bigint,
  ended_at     bigint,
  primary key (tenant_id, job_id)
);

-- "The most urgent due job of this tenant."
create index job_by_urgency on job (tenant_id, priority desc, due_at, job_id) where status in ('queued', 'leased');

-- "When does this tenant next need a worker?"
create index job_by_due on job (tenant_id, due_at) where status in ('queued', 'leased');

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

-- One row per tenant that has work waiting: a worker picks a tenant here, then looks inside it.
-- `turn` grows with every pick, so the tenant that waited longest is next, however much work another one has.
create table job_ready (
  tenant_id text collate "C" not null primary key,
  due_at    bigint not null,
  turn      bigint not null
);

create index job_ready_by_due on job_ready (due_at);
