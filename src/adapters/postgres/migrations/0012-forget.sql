-- What is being forgotten, so that nobody sees it any more while it is erased.

-- Lines of fences that are up. Empty most of the time; every read asks it once. The names in it are erased with the rest.
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

-- Set when only id, service and arrival are left of an event. Its event id is a keyed digest by then.
alter table source_event add column erased_at bigint;

-- How many of the entries of a call were forgotten since; those left are in `entries`.
alter table run_call add column forgotten bigint;

-- Statistics are samples of the rows, kept until the next ANALYZE: no sample of what people said or are called.
alter table fence
  alter column value set statistics 0;
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
alter table job
  alter column payload set statistics 0,
  alter column progress set statistics 0,
  alter column error set statistics 0,
  alter column result set statistics 0;
alter table schedule
  alter column payload set statistics 0;
alter table admin_record
  alter column id set statistics 0,
  alter column body set statistics 0;
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
alter table compaction
  alter column memory_ref set statistics 0;
alter table search_waiting
  alter column memory_ref set statistics 0;
alter table search_scope
  alter column memory_ref set statistics 0;
alter table search_row
  alter column memory_ref set statistics 0;
alter table assertion
  alter column event_id set statistics 0,
  alter column content set statistics 0,
  alter column content_key set statistics 0;
