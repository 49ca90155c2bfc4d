-- What a key's first call did, in identifiers only; the answer is rendered again from what is stored.
create table idempotency (
  tenant_id  text collate "C" not null,
  key        text collate "C" not null,
  digest     text collate "C" not null,
  outcome    text collate "C" not null,
  created_at bigint not null,
  primary key (tenant_id, key)
);

-- Keys are held for a day; every new key takes a few of the oldest with it.
create index idempotency_by_age on idempotency (tenant_id, created_at);
