-- Runs of workflows: where each stands, what happened in it, and what it read and wrote in memory.

create table run (
  tenant_id         text    not null,
  run_id            text    not null,
  workflow_id       text    not null,
  workflow_version  integer not null,
  status            text    not null,
  -- Grows with every stored step; a step that was decided on another one is refused.
  revision          integer not null,
  next_sequence     integer not null,
  snapshot_position integer not null,
  snapshot_at       integer not null,
  -- Also in `facts`; a column so that the scope's run can be found.
  scope_id          text,
  -- Also in `facts` and `text`; columns so that a list need not read those.
  parent_run_id     text,
  source_run_id     text,
  tags              text    not null,
  created_at        integer not null,
  updated_at        integer not null,
  ended_at          integer,
  -- JSON, and last: a step is checked by the columns before them, without reading past a large text.
  -- `facts` is the host's own; `text` came from outside and went through the redactor. No index holds any of it, so
  -- overwriting the row leaves no copy.
  facts             text    not null,
  text              text    not null,
  primary key (tenant_id, run_id)
) strict;

-- "Newest first, of this workflow." Ids grow with time.
create index run_by_workflow on run (tenant_id, workflow_id, run_id);

-- "Newest first, in this status", and which runs are under way: every status that is not an end.
create index run_by_status on run (tenant_id, status, run_id);

-- "Which run is under way in this scope?"
create index run_active_by_scope on run (tenant_id, scope_id, run_id) where ended_at is null and scope_id is not null;

-- "What is the oldest snapshot that a run under way still reads?"
create index run_active_by_snapshot on run (tenant_id, snapshot_position) where ended_at is null;

-- What happened in a run, in order. Rows are added and never changed, but for taking a secret out.
-- With rowid: without, every payload above a kilobyte would take a page of its own.
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

-- What a run read and wrote in memory, in identifiers only: entries by id and version, never their text.
create table run_call (
  tenant_id  text    not null,
  run_id     text    not null,
  ordinal    integer not null,
  sequence   integer not null,
  node_id    text    not null,
  op         text    not null,
  memory_ref text    not null,
  entries    text    not null,
  position   integer not null,
  at         integer not null,
  primary key (tenant_id, run_id, ordinal)
) strict;
