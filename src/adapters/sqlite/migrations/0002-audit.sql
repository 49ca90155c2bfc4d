-- One content-free body per position, chained by hash. The body names refs by keyed digest; `refs` has them in
-- clear for the change stream. It is erasable and therefore not part of what is hashed.
create table audit (
  tenant_id text    not null,
  position  integer not null,
  at        integer not null,
  body      text    not null,
  hash      text    not null,
  refs      text,
  primary key (tenant_id, position)
) strict, without rowid;
