-- "Which versions of this ref can a reader not see?" A search for a reader leaves them out of its statistics. Most refs have none.
create index entry_restricted
  on entry_version (tenant_id, memory_ref)
  where readers is not null;
