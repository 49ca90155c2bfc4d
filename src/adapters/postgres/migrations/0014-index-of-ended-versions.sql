-- As for the other indexes in migration 5: a condition that every row meets, which only the statements say that are to use this index.
-- It had the condition of `entry_ended_by_age`. In a small table both looked equally good, and a list by tag read all ended versions
-- for each tag.
drop index entry_version_by_end;
create index entry_version_by_end
  on entry_version (tenant_id, ended_position, entry_id, version)
  where ended_position >= 0;
