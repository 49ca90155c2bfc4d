-- Processes tell each other whose requests they work on, so that a tenant with many holds back in all of them while others ask in
-- any. A few rows, overwritten a few times a second; nothing is lost when they are, so they are not logged.
create unlogged table tenant_asking (
  tenant_id  text   not null,
  process_id text   not null,
  asked_at   bigint not null,
  primary key (tenant_id, process_id)
);
