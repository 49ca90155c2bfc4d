-- The Merkle tree over a tenant's audit: the root of every full tile of 256 hashes, in hexadecimal. It is a hash of the level above.
-- Derived from the hashes in `audit`: deleted rows are computed again.
create table log_tile (
  tenant_id text    not null,
  level     integer not null,
  tile      integer not null,
  root      text    not null,
  primary key (tenant_id, level, tile)
) strict, without rowid;
