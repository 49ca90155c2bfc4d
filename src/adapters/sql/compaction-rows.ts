import type { Compaction } from '../../core/compaction/compaction.ts'
import { chunkVersion } from '../../core/compaction/lineage-chunks.ts'
import { rowCodec } from './row-codec.ts'

export const compactionRows = rowCodec<Compaction>({
  compactionId: 'text',
  memoryRef: 'text',
  outputId: 'text',
  sourceCount: 'bigint',
  byteSize: 'bigint',
  runId: 'text',
  summariser: 'text',
  status: 'text',
  recordedPosition: 'bigint',
  at: 'bigint',
  undonePosition: 'bigint',
  undoneAt: 'bigint',
  tokenBudget: 'bigint',
  tokensUsed: 'bigint',
  checksum: 'text',
})

export type CompactionSourceRow = { entry_id: string; version: number }

/** The sources of a compaction in their order. A row with the version `chunkVersion` stands for the rows of its chunk. */
export const selectSources = (tenantId: string, compactionId: string) => `
  select coalesce(c.entry_id, s.entry_id) as entry_id, coalesce(c.version, s.version) as version
    from compaction_source s
    left join compaction_source c
      on s.version = ${chunkVersion}
     and c.tenant_id = ${tenantId}
     and c.compaction_id = s.entry_id
   where s.tenant_id = ${tenantId}
     and s.compaction_id = ${compactionId}
   order by s.ordinal, c.ordinal`

/** The compactions with one of these entries as a source, by itself or in a chunk. `isGiven` says whether a column is one of the entries. */
export const selectDerived = (tenantId: string, isGiven: (column: string) => string) => `
  with direct as (
         select compaction_id
           from compaction_source
          where tenant_id = ${tenantId}
            and ${isGiven('entry_id')})
  select ${compactionRows.columns}
    from compaction
   where tenant_id = ${tenantId}
     and compaction_id in (
       select compaction_id from direct
        union
       select compaction_id
         from compaction_source
        where tenant_id = ${tenantId}
          and entry_id in (select compaction_id from direct))
   order by compaction_id`

/** Deletes the chunks that only these compactions have. Their own rows are deleted after it. */
export const deleteUnsharedChunks = (tenantId: string, isGone: (column: string) => string) => `
  delete from compaction_source
   where tenant_id = ${tenantId}
     and compaction_id in (
       select entry_id
         from compaction_source
        where tenant_id = ${tenantId}
          and ${isGone('compaction_id')}
          and version = ${chunkVersion})
     and not exists (
       select 1
         from compaction_source other
        where other.tenant_id = ${tenantId}
          and other.entry_id = compaction_source.compaction_id
          and not (${isGone('other.compaction_id')}))`
