import type { Database, Statement } from 'better-sqlite3'
import { versionColumns } from '../sql/version-rows.ts'
import { notFenced } from './fence.ts'

const vectorAt = (columns: string) => `
      select ${columns}
        from entry_vector
       where tenant_id = ?
         and memory_ref = ?
         and created_position = ?
         and ordinal = ?
         and version = ?
         and model = ?
         and dimensions = ?`

const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')

type VectorStatement =
  | 'reached'
  | 'dropProgress'
  | 'addProgress'
  | 'reach'
  | 'recordedAfter'
  | 'known'
  | 'save'
  | 'countUpTo'
  | 'vectors'
  | 'vector'
  | 'bytes'
  | 'countTagged'
  | 'tagged'
  | 'removeOthers'
  | 'counts'
  | 'countVersions'

/** The statements of the vector store. */
export function prepareVectors(reader: Database, writer: Database): Record<VectorStatement, Statement> {
  return {
    reached: writer
      .prepare('select position from vector_progress where tenant_id = ? and model = ? and dimensions = ?')
      .pluck(),
    dropProgress: writer.prepare('delete from vector_progress where tenant_id = ?'),
    addProgress: writer.prepare(
      'insert into vector_progress (tenant_id, model, dimensions, position) values (?, ?, ?, 0)',
    ),
    reach: writer.prepare(`
      update vector_progress
         set position = ?
       where tenant_id = ?
         and model = ?
         and dimensions = ?
         and position = ?`),
    recordedAfter: reader.prepare(`
      select ${columnsOfV},
             x.version is null or x.model <> :model or x.dimensions <> :dimensions or x.made_at < :madeSince as is_pending
        from entry_version v indexed by entry_version_by_recording
        left join entry_vector x
          on x.tenant_id = v.tenant_id
         and x.memory_ref = v.memory_ref
         and x.created_position = v.created_position
         and x.ordinal = v.ordinal
         and x.version = v.version
       where v.tenant_id = :tenantId
         and (v.recorded_position, v.entry_id, v.version) > (:recordedPosition, :entryId, :version)
         and ${notFenced('v')}
       order by v.recorded_position, v.entry_id, v.version
       limit +:limit`),
    known: reader.prepare(`
      select content_hash, vector
        from entry_vector
       where tenant_id = :tenantId
         and content_hash in (select value from json_each(:hashes))
         and model = :model
         and dimensions = :dimensions
         and made_at >= :madeSince`),
    save: writer.prepare(`
      insert or replace into entry_vector (tenant_id, memory_ref, created_position, ordinal, version, entry_id,
        recorded_position, model, dimensions, content_hash, made_at, vector)
      select tenant_id, memory_ref, created_position, ordinal, version, entry_id, recorded_position,
             :model, :dimensions, :contentHash, :madeAt, :vector
        from entry_version
       where tenant_id = :tenantId
         and entry_id = :entryId
         and version = :version
         and content = :content`),
    countUpTo: reader
      .prepare('select count(*) from (select 1 from entry_vector where tenant_id = ? and memory_ref = ? limit +?)')
      .pluck(),
    vectors: reader.prepare(`
      select entry_id, version, vector
        from entry_vector
       where tenant_id = :tenantId
         and memory_ref = :memoryRef
         and model = :model
         and dimensions = :dimensions
         and recorded_position <= :position`),
    vector: reader.prepare(vectorAt('entry_id, version, vector')),
    bytes: reader.prepare(vectorAt('vector')).pluck(),
    countTagged: reader
      .prepare(`
      select count(*)
        from (select 1 from entry_tag where tenant_id = :tenantId and memory_ref = :memoryRef and tag = :tag limit +:limit)`)
      .pluck(),
    tagged: reader.prepare(`
      select x.entry_id, x.version, x.vector
        from entry_tag t
       cross join entry_vector x
          on x.tenant_id = t.tenant_id
         and x.memory_ref = t.memory_ref
         and x.created_position = t.created_position
         and x.ordinal = t.ordinal
         and x.version = t.version
       where t.tenant_id = :tenantId
         and t.memory_ref = :memoryRef
         and t.tag = :tag
         and t.recorded_position <= :position
         and x.model = :model
         and x.dimensions = :dimensions`),
    removeOthers: writer.prepare(`
      delete from entry_vector
       where rowid in (
         select rowid
           from entry_vector
          where tenant_id = :tenantId
            and (model <> :model or dimensions <> :dimensions)
          limit +:limit)`),
    counts: reader.prepare(`
      select model, dimensions, count(*) as vectors
        from entry_vector
       where tenant_id = ?
       group by model, dimensions
       order by model, dimensions`),
    countVersions: reader
      .prepare('select count(*) from entry_version where tenant_id = ? and recorded_position > ?')
      .pluck(),
  }
}
