-- One content-free body per position, chained by hash. The body names refs by keyed digest; `refs` has them in
-- clear for the change stream. It is erasable and therefore not part of what is hashed.
create table audit (
  tenant_id text collate "C" not null,
  position  bigint not null,
  at        bigint not null,
  body      text collate "C" not null,
  hash      text collate "C" not null,
  refs      text,
  primary key (tenant_id, position)
);
