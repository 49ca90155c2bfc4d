import type { SealedErasure } from '../../core/commit/batch.ts'
import { type Send, statement } from './connection.ts'
import { eraseFromSearch } from './search-table.ts'
import { eraseVectors } from './vectors.ts'

/**
 * Deletes versions, each with everything that hangs on it. Whatever is kept per version beside the version itself
 * (an index, a vector) is deleted here and nowhere else, so nothing that erases can forget it.
 */
export function eraseVersions(send: Send, tenantId: string, erasures: readonly SealedErasure[]): Promise<unknown>[] {
  if (erasures.length === 0) return []
  const tags = erasures.flatMap((v) => v.tags.map((tag) => ({ ...v, tag })))
  return [
    send(deleteTags, [
      tenantId,
      tags.map((v) => v.memoryRef),
      tags.map((v) => v.tag),
      tags.map((v) => v.createdPosition),
      tags.map((v) => v.ordinal),
      tags.map((v) => v.version),
    ]),
    ...eraseFromSearch(send, tenantId, erasures),
    eraseVectors(send, tenantId, erasures),
    send(deleteVersions, [tenantId, erasures.map((v) => v.entryId), erasures.map((v) => v.version)]),
  ]
}

const deleteVersions = statement(
  'delete_versions',
  `delete from entry_version v
    using unnest($2::text[], $3::bigint[]) as gone (entry_id, version)
    where v.tenant_id = $1
      and v.entry_id = gone.entry_id
      and v.version = gone.version`,
)

const deleteTags = statement(
  'delete_tags',
  `delete from entry_tag t
    using unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
       as gone (memory_ref, tag, created_position, ordinal, version)
    where t.tenant_id = $1
      and t.memory_ref = gone.memory_ref
      and t.tag = gone.tag
      and t.created_position = gone.created_position
      and t.ordinal = gone.ordinal
      and t.version = gone.version`,
)
