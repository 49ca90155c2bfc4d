import type { StoredVersionPartState } from '../../../core/commit/parts/stored-versions.ts'
import { invariant } from '../../../core/invariant.ts'
import { toVersion, type VersionRow, versionColumns } from '../../sql/version-rows.ts'
import { scopeIdOf } from '../search-table.ts'
import type { PreparePart } from './part.ts'
import { prepareTags } from './tags.ts'

export const storedVersions: PreparePart<StoredVersionPartState> = (db, { search, vectors }) => {
  const tags = prepareTags(db)
  const select = db.prepare(`
    select ${versionColumns}
      from entry_version
     where tenant_id = ?
       and +memory_ref = ?
       and entry_id = ?
       and version = ?`)
  const rewrite = db
    .prepare(`
    update entry_version
       set content = ?, tags = ?, salt = ?, digest_position = ?, readers = ?
     where tenant_id = ?
       and entry_id = ?
       and version = ?
    returning row_id`)
    .pluck()
  const remove = db.prepare('delete from entry_version where tenant_id = ? and entry_id = ? and version = ?')
  return {
    state: (tenantId) => ({
      version: ({ memoryRef, entryId, version }) => {
        const row = select.get(tenantId, memoryRef, entryId, version) as VersionRow | undefined
        return row && toVersion(row)
      },
    }),

    /** Each version with everything that is kept for it. Rows of another kind that are kept per version are deleted here and nowhere else. */
    clear(tenantId, { erasures }) {
      for (const erasure of erasures) {
        tags.remove(tenantId, erasure, erasure.tags)
        search.erase(tenantId, erasure)
        vectors.erase(tenantId, erasure)
        remove.run(tenantId, erasure.entryId, erasure.version)
      }
    },

    /** Tags that contained a secret are deleted as rows, not ended: their text must not stay in the file. */
    save(tenantId, { rewrites }) {
      for (const v of rewrites) {
        if (!v.keepsText) search.rewrite(tenantId, v)
        const readers = v.readers && JSON.stringify(v.readers)
        const text = [v.content, JSON.stringify(v.tags), v.salt, v.digestPosition]
        const rowId = rewrite.get(...text, readers, tenantId, v.entryId, v.version) as number | undefined
        invariant(rowId !== undefined, 'the version that is rewritten was read in the same transaction')
        if (v.keepsText) continue
        vectors.rewrite(tenantId, v)
        const { oldTags } = v
        tags.remove(
          tenantId,
          v,
          oldTags.filter((tag) => !v.tags.includes(tag)),
        )
        tags.add(
          scopeIdOf(rowId),
          v,
          v.tags.filter((tag) => !oldTags.includes(tag)),
        )
      }
    },
  }
}
