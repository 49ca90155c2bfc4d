import type { Database } from 'better-sqlite3'
import type { SealedErasure } from '../../core/commit/batch.ts'
import type { SearchTable } from './search-table.ts'
import type { VectorTable } from './vectors.ts'

/**
 * Deletes versions, each with everything that hangs on it. Whatever is kept per version beside the version itself
 * (an index, a vector) is deleted here and nowhere else, so nothing that erases can forget it.
 */
export function createEraser(db: Database, search: SearchTable, vectors: VectorTable) {
  const version = db.prepare('delete from entry_version where tenant_id = ? and entry_id = ? and version = ?')
  const tag = db.prepare(`
    delete from entry_tag
     where tenant_id = ?
       and memory_ref = ?
       and tag = ?
       and created_position = ?
       and ordinal = ?
       and version = ?`)
  return function eraseVersion(tenantId: string, v: SealedErasure): void {
    for (const name of v.tags) tag.run(tenantId, v.memoryRef, name, v.createdPosition, v.ordinal, v.version)
    search.erase(tenantId, v)
    vectors.erase(tenantId, v)
    version.run(tenantId, v.entryId, v.version)
  }
}
