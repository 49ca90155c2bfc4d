import { createFenceSql } from '../sql/fence-sql.ts'

export const {
  fencesVersion,
  fencesEvent,
  fencesClaim,
  fencesAssertion,
  notFenced,
  eventNotFenced,
  claimNotFenced,
  assertionNotFenced,
  holdsUp,
} = createFenceSql({
  tenant: '$1',
  originMember: (row, name) => `${row}.origin::json ->> '${name}'`,
  tagsOf: (list) => `json_array_elements_text(${list}::json) as tag`,
  tag: 'tag',
})

/** The lines given with a query. */
export const givenFences = (parameter: string) => `
  select kind collate "C" as kind, value collate "C" as value, position, "fromSequence" as from_sequence, "toSequence" as to_sequence
    from json_to_recordset(${parameter}::json)
      as r (kind text, value text, position bigint, "fromSequence" bigint, "toSequence" bigint)`
