import type { Database } from 'better-sqlite3'
import type { EntryKey, EntryVersion, Place } from '../../../core/entries/entry.ts'

type Tagged = Pick<EntryKey, 'memoryRef'> & Place & Pick<EntryVersion, 'version'>

/** The rows of tags, which follow the life of their version. */
export function prepareTags(db: Database) {
  const insert = db.prepare(`
    insert into entry_tag (tenant_id, memory_ref, tag, created_position, ordinal, version, recorded_position)
    values (?, ?, ?, ?, ?, ?, ?)`)
  const end = db.prepare(`
    update entry_tag
       set ended_position = ?
     where tenant_id = ?
       and memory_ref = ?
       and tag = ?
       and created_position = ?
       and ordinal = ?
       and version = ?`)
  const remove = db.prepare(`
    delete from entry_tag
     where tenant_id = ?
       and memory_ref = ?
       and tag = ?
       and created_position = ?
       and ordinal = ?
       and version = ?`)
  return {
    add(
      tenantId: string,
      v: Tagged & Pick<EntryVersion, 'recordedPosition' | 'endedPosition'>,
      tags: readonly string[],
    ) {
      const { endedPosition } = v
      for (const tag of tags) {
        insert.run(tenantId, v.memoryRef, tag, v.createdPosition, v.ordinal, v.version, v.recordedPosition)
        if (endedPosition !== null)
          end.run(endedPosition, tenantId, v.memoryRef, tag, v.createdPosition, v.ordinal, v.version)
      }
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
