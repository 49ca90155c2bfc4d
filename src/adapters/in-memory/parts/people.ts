import { spellingsIn } from '../../../core/commit/parts/people.ts'
import type { ModelPart } from './part.ts'

export const people: ModelPart = {
  state: () => ({}),

  save(tenant, rows) {
    for (const { folded, spelling, position } of spellingsIn(rows)) {
      const known = tenant.spellings.get(spelling)
      const firstPosition = known?.firstPosition ?? position
      const lastPosition = Math.max(known?.lastPosition ?? 0, position)
      tenant.spellings.set(spelling, { folded, spelling, firstPosition, lastPosition })
    }
  },
}
