import type { Database } from 'better-sqlite3'
import type { EntryKey, EntryVersion, Place } from '../../../core/entries/entry.ts'

type Tagged = Pick<EntryKey, 'memoryRef'> & Place & Pick<EntryVersion, 'version'>

const ofVersion = `
     where scope_id = (select scope_id from search_scope where tenant_id = ? and memory_ref = ?)
       and tag = ?
       and created_position = ?
       and ordinal = ?
       and version = ?`

/** The rows of tags, which follow the life of their version. */
export function prepareTags(db: Database) {
  const insert = db.prepare(`
    insert into search_tag (scope_id, tag, created_position, ordinal, version, recorded_position, ended_position)
    values (?, ?, ?, ?, ?, ?, ?)`)
  const end = db.prepare(`update search_tag set ended_position = ?${ofVersion}`)
  const remove = db.prepare(`delete from search_tag${ofVersion}`)
  return {
    add(
      scopeId: number,
      v: Omit<Tagged, 'memoryRef'> & Pick<EntryVersion, 'recordedPosition' | 'endedPosition'>,
      tags: readonly string[],
    ) {
      for (const tag of tags)
        insert.run(scopeId, tag, v.createdPosition, v.ordinal, v.version, v.recordedPosition, v.endedPosition)
    },
    end(tenantId: string, v: Tagged & { readonly endedPosition: number }, tags: readonly string[]) {
      for (const tag of tags)
        end.run(v.endedPosition, tenantId, v.memoryRef, tag, v.createdPosition, v.ordinal, v.version)
    },
    remove(tenantId: string, v: Tagged, tags: readonly string[]) {
      for (const tag of tags) remove.run(tenantId, v.memoryRef, tag, v.createdPosition, v.ordinal, v.version)
    },
  }
}
