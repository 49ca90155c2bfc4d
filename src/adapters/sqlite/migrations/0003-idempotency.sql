-- What a key's first call did, in identifiers only; the answer is rendered again from what is stored.
create table idempotency (
  tenant_id  text    not null,
  key        text    not null,
  digest     text    not null,
  outcome    text    not null,
  created_at integer not null,
  primary key (tenant_id, key)
) strict, without rowid;

-- Keys are held for a day; every new key takes a few of the oldest with it.
create index idempotency_by_age on idempotency (tenant_id, created_at);
