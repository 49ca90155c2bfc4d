-- What is being forgotten, so that nobody sees it any more while it is erased.

-- Lines of fences that are up. Empty most of the time; every read asks it once. The names in it are erased with the rest.
create table fence (
  tenant_id     text    not null,
  forget_id     text    not null,
  kind          text    not null,
  value         text    not null,
  from_sequence integer not null,
  to_sequence   integer not null,
  position      integer not null,
  primary key (tenant_id, forget_id, kind, value, from_sequence)
) strict, without rowid;

-- Set when only id, service and arrival are left of an event. Its event id is a keyed digest by then.
alter table source_event add column erased_at integer;

-- How many of the entries of a call were forgotten since; those left are in `entries`.
alter table run_call add column forgotten integer;
