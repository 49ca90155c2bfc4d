import { type CapacityState, isCounted } from '../../../core/commit/parts/capacities.ts'
import { isExpired } from '../../../core/entries/as-of.ts'
import { isShown } from '../forget.ts'
import type { ModelPart } from './part.ts'

export const capacities: ModelPart<CapacityState> = {
  state: (tenant) => ({
    stored(counted) {
      if ('records' in counted)
        return [...tenant.records.values()].filter(({ kind }) => kind === counted.records).length
      return [...tenant.versions.values()]
        .flat()
        .filter((row) => row.endedPosition === null && isCounted(row, counted))
        .filter((row) => !isExpired(row, counted.now) && isShown(tenant, row)).length
    },
  }),

  save() {},
}
