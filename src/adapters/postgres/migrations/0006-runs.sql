-- Runs of workflows: where each stands, what happened in it, and what it read and wrote in memory.

create table run (
  tenant_id         text collate "C" not null,
  run_id            text collate "C" not null,
  workflow_id       text collate "C" not null,
  workflow_version  bigint not null,
  status            text collate "C" not null,
  -- Grows with every stored step; a step that was decided on another one is refused.
  revision          bigint not null,
  next_sequence     bigint not null,
  snapshot_position bigint not null,
  snapshot_at       bigint not null,
  -- Also in `facts`; a column so that the scope's run can be found.
  scope_id          text collate "C",
  -- Also in `facts` and `text`; columns so that a list need not read those.
  parent_run_id     text collate "C",
  source_run_id     text collate "C",
  tags              text collate "C" not null,
  created_at        bigint not null,
  updated_at        bigint not null,
  ended_at          bigint,
  -- JSON, and last: a step is checked by the columns before them, without reading past a large text.
  -- `facts` is the host's own; `text` came from outside and went through the redactor. No index holds any of it, so
  -- what a step overwrites is gone with the next vacuum.
  facts             text collate "C" not null,
  text              text collate "C" not null,
  primary key (tenant_id, run_id)
) with (fillfactor = 70); -- room on the page, so that a step rewrites the row and touches no index

-- "Newest first, of this workflow." Ids grow with time.
create index run_by_workflow on run (tenant_id, workflow_id, run_id);

-- "Newest first, in this status", and which runs are under way: every status that is not an end.
create index run_by_status on run (tenant_id, status, run_id);

-- "Which run is under way in this scope?"
create index run_active_by_scope on run (tenant_id, scope_id, run_id) where ended_at is null and scope_id is not null;

-- "What is the oldest snapshot that a run under way still reads?"
create index run_active_by_snapshot on run (tenant_id, snapshot_position) where ended_at is null;

-- What happened in a run, in order. Rows are added and never changed, but for taking a secret out.
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

-- What a run read and wrote in memory, in identifiers only: entries by id and version, never their text.
create table run_call (
  tenant_id  text collate "C" not null,
  run_id     text collate "C" not null,
  ordinal    bigint not null,
  sequence   bigint not null,
  node_id    text collate "C" not null,
  op         text collate "C" not null,
  memory_ref text collate "C" not null,
  entries    text collate "C" not null,
  position   bigint not null,
  at         bigint not null,
  primary key (tenant_id, run_id, ordinal)
);
