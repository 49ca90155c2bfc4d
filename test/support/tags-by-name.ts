const ofOldTag = `
  where (scope_id, tag, created_position, ordinal, version)
      = (old.scope_id, old.tag, old.created_position, old.ordinal, old.version);`

/**
 * SQLite has the tags by the number of their scope, and `entry_tag` is a view. With these triggers, a statement for PostgreSQL changes them
 * too.
 */
export const changeTagsByName: readonly string[] = [
  `create trigger if not exists tag_deleted instead of delete on entry_tag begin
     delete from search_tag ${ofOldTag}
   end`,
  `create trigger if not exists tag_changed instead of update on entry_tag begin
     update search_tag
        set ended_position = new.ended_position, recorded_position = new.recorded_position ${ofOldTag}
   end`,
  `create trigger if not exists tag_planted instead of insert on entry_tag begin
     insert into search_tag
     select scope_id, new.tag, new.created_position, new.ordinal, new.version, new.recorded_position, new.ended_position
       from search_scope
      where tenant_id = new.tenant_id
        and memory_ref = new.memory_ref;
   end`,
]
