-- One content-free record per position, chained by hash. `changes` names refs and ids in clear for the change
-- stream; it is erasable and therefore not part of what is hashed.
create table audit (
  tenant_id text collate "C" not null,
  position  bigint not null,
  at        bigint not null,
  kind      text collate "C" not null,
  record    text collate "C" not null,
  hash      text collate "C" not null,
  changes   text,
  primary key (tenant_id, position)
);
