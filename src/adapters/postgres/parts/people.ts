import { type NamedSpelling, spellingsIn } from '../../../core/commit/parts/people.ts'
import { statement, tenantOfCall } from '../connection.ts'
import type { PostgresPart } from './part.ts'

/** The spellings of people that the commits of a group name. */
export const people: PostgresPart = {
  none: () => ({}),
  load: async () => ({}),
  state: () => ({}),

  save(send, tenantId, sealed) {
    const named = new Map<string, NamedSpelling & { readonly first: number }>()
    for (const one of sealed.flatMap(spellingsIn)) {
      const { first = one.position, position = 0 } = named.get(one.spelling) ?? {}
      named.set(one.spelling, {
        ...one,
        first: Math.min(first, one.position),
        position: Math.max(position, one.position),
      })
    }
    return named.size === 0 ? [] : [send(note, [tenantId, JSON.stringify([...named.values()])])]
  },
}

const note = statement(
  'note_spellings',
  `insert into person_spelling (tenant_id, folded, spelling, first_position, last_position)
   select c.tenant_id, folded, spelling, first, position
     from ${tenantOfCall}, json_to_recordset($2::json)
       as r (folded text, spelling text, first bigint, position bigint)
       on conflict (tenant_id, folded, spelling) do update
      set last_position = greatest(person_spelling.last_position, excluded.last_position)`,
)
