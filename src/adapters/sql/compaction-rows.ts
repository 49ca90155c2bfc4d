import type { Compaction } from '../../core/compaction/compaction.ts'
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
