import type { CompactionPartState } from '../../../core/commit/parts/compactions.ts'
import type { Compaction } from '../../../core/compaction/compaction.ts'
import { compactionRows } from '../../sql/compaction-rows.ts'
import type { Row } from '../../sql/row-codec.ts'
import { saveCompactions, selectCompactions } from '../compactions.ts'
import type { PostgresPart } from './part.ts'

export type CompactionsLoaded = {
  /** The compactions that the group changes. */
  readonly compactions: Map<string, Compaction>
}

export const compactions: PostgresPart<CompactionsLoaded, CompactionPartState> = {
  none: () => ({ compactions: new Map() }),

  async load(send, tenantId, batches) {
    const ids = batches.flatMap((batch) =>
      batch.compactions.map((step) => ('undone' in step ? step.undone : step.made.compactionId)),
    )
    if (ids.length === 0) return this.none()
    const { rows } = await send<Row>(selectCompactions, [tenantId, ids])
    return { compactions: new Map(rows.map(compactionRows.fromRow).map((made) => [made.compactionId, made])) }
  },

  state: (loaded) => ({ compaction: (compactionId) => loaded.compactions.get(compactionId) }),

  after(loaded, sealed) {
    for (const { compaction } of sealed.compactions) loaded.compactions.set(compaction.compactionId, compaction)
  },

  save: (send, tenantId, sealed) =>
    saveCompactions(
      send,
      tenantId,
      sealed.flatMap((batch) => batch.compactions),
    ),
}
