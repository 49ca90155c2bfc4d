-- One content-free record per position, chained by hash. `changes` names refs and ids in clear for the change
-- stream; it is erasable and therefore not part of what is hashed.
create table audit (
  tenant_id text    not null,
  position  integer not null,
  at        integer not null,
  kind      text    not null,
  record    text    not null,
  hash      text    not null,
  changes   text,
  primary key (tenant_id, position)
) strict, without rowid;
