import type { Compaction } from '../core/compaction/compaction.ts'

/** Rows of compactions as both databases hold them, and what they mean. */

export const compactionColumns = `compaction_id, memory_ref, output_id, source_count, byte_size, run_id, summariser, status,
       recorded_position, at, undone_position, undone_at`

export type CompactionRow = {
  compaction_id: string
  memory_ref: string
  output_id: string
  source_count: number
  byte_size: number
  run_id: string
  summariser: string
  status: string
  recorded_position: number
  at: number
  undone_position: number | null
  undone_at: number | null
}

export function toCompaction(row: CompactionRow): Compaction {
  return {
    compactionId: row.compaction_id,
    memoryRef: row.memory_ref,
    outputId: row.output_id,
    sourceCount: row.source_count,
    byteSize: row.byte_size,
    runId: row.run_id,
    summariser: row.summariser,
    status: row.status as Compaction['status'],
    recordedPosition: row.recorded_position,
    at: row.at,
    undonePosition: row.undone_position,
    undoneAt: row.undone_at,
  }
}

export function toCompactionRow(compaction: Compaction): CompactionRow {
  return {
    compaction_id: compaction.compactionId,
    memory_ref: compaction.memoryRef,
    output_id: compaction.outputId,
    source_count: compaction.sourceCount,
    byte_size: compaction.byteSize,
    run_id: compaction.runId,
    summariser: compaction.summariser,
    status: compaction.status,
    recorded_position: compaction.recordedPosition,
    at: compaction.at,
    undone_position: compaction.undonePosition,
    undone_at: compaction.undoneAt,
  }
}

export type CompactionSourceRow = { entry_id: string; version: number }
