import { spellingsIn } from '../../../core/commit/parts/people.ts'
import type { PreparePart } from './part.ts'

/** The spellings of people that a commit names. */
export const people: PreparePart = (db) => {
  const note = db.prepare(`
    insert into person_spelling (tenant_id, folded, spelling, first_position, last_position)
    values (:tenantId, :folded, :spelling, :position, :position)
        on conflict (tenant_id, folded, spelling) do update
       set last_position = max(last_position, excluded.last_position)`)
  return {
    state: () => ({}),

    save(tenantId, rows) {
      for (const named of spellingsIn(rows)) note.run({ tenantId, ...named })
    },
  }
}
