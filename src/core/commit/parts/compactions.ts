import type { CompactionNote } from '../../audit/audit-notes.ts'
import { compactionDigest, lineageDigest } from '../../audit/row-digests.ts'
import {
  type Compaction,
  type CompactionStep,
  type SealedCompaction,
  sealCompaction,
} from '../../compaction/compaction.ts'
import type { BatchPart, Mac } from './part.ts'
import { notesOf } from './part.ts'

export type CompactionMembers = { readonly compactions: readonly CompactionStep[] }

export type CompactionRows = { readonly compactions: readonly SealedCompaction[] }

export type CompactionPartState = { readonly compaction: (compactionId: string) => Compaction | undefined }

/** Compactions that are made or undone. The entries that they end and add are in the batch as entries. */
export const compactions: BatchPart<CompactionMembers, CompactionRows, CompactionPartState> = {
  members: ['compactions'],
  none: { compactions: [] },
  noRows: { compactions: [] },

  seal: (batch, { compaction }, { position, at }) => ({
    compactions: batch.compactions.map((step) => sealCompaction(step, compaction, position, at)),
  }),

  takesPosition: (rows) => rows.compactions.length > 0,

  audit: (rows, _batch, { mac }) => notesOf('compactions', rows.compactions, (made) => toCompactionNote(made, mac)),
}

function toCompactionNote({ compaction, sources }: SealedCompaction, mac: Mac): CompactionNote {
  const { compactionId: id, outputId, sourceCount, status } = compaction
  return {
    change: status === 'undone' ? 'undone' : 'made',
    digest: compactionDigest(mac, compaction),
    id,
    // The sources come with the compaction, and stay.
    ...(sources.length === 0 ? {} : { lineage: lineageDigest(mac, sources) }),
    output: outputId,
    sources: sourceCount,
  }
}
