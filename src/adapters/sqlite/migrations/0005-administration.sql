-- What is administered: keys, secrets, rules, settings, as small documents. Nothing in `body` is ever searched for.
create table admin_record (
  tenant_id  text not null,
  kind       text not null,
  id         text not null,
  revision   integer not null,
  body       text not null,
  updated_at integer not null,
  primary key (tenant_id, kind, id)
) strict, without rowid;

-- When a key was last used. Not part of its record: using a key changes nothing that needs a position or an audit.
create table key_use (
  tenant_id    text not null,
  key_id       text not null,
  last_used_at integer not null,
  primary key (tenant_id, key_id)
) strict, without rowid;

-- A disabled tenant keeps its data, but its keys open nothing.
alter table tenant add column status text not null default 'active';

-- Where the audit has the digest of the text as it is now: later than the version itself once a secret was taken out of
-- it in place. Null while it is the version's own position.
alter table entry_version add column digest_position integer;
