import { saveForgetting } from '../forget.ts'
import type { PostgresPart } from './part.ts'

export const forgetting: PostgresPart = {
  none: () => ({}),
  load: async () => ({}),
  state: () => ({}),

  /** A fence names its events by more than their ids, so behind a new one no event of the group counts as present. */
  after({ present }, sealed) {
    const { fences, sources } = sealed.forgetting
    if (fences.some(({ added }) => added.length > 0) || sources.length > 0) present.clear()
  },

  save: (send, tenantId, sealed, at) => sealed.flatMap((batch) => saveForgetting(send, tenantId, batch.forgetting, at)),
}
