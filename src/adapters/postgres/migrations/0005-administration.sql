-- What is administered: keys, secrets, rules, settings, as small documents. Nothing in `body` is ever searched for.
create table admin_record (
  tenant_id  text collate "C" not null,
  kind       text collate "C" not null,
  id         text collate "C" not null,
  revision   bigint not null,
  body       text collate "C" not null,
  updated_at bigint not null,
  primary key (tenant_id, kind, id)
);

-- When a key was last used. Not part of its record: using a key changes nothing that needs a position or an audit.
create table key_use (
  tenant_id    text collate "C" not null,
  key_id       text collate "C" not null,
  last_used_at bigint not null,
  primary key (tenant_id, key_id)
);

-- A disabled tenant keeps its data, but its keys open nothing.
alter table tenant add column status text collate "C" not null default 'active';

-- Where the audit has the digest of the text as it is now: later than the version itself once a secret was taken out of
-- it in place. Null while it is the version's own position.
alter table entry_version add column digest_position bigint;
