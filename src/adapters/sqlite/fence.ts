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
  tenant: ':tenantId',
  originMember: (row, name) => `${row}.origin ->> '${name}'`,
  tagsOf: (list) => `json_each(${list}) tag`,
  tag: 'tag.value',
})

/** The lines given with a query. */
export const givenFences = `
  select value ->> 'kind' as kind, value ->> 'value' as value, value ->> 'position' as position,
         value ->> 'fromSequence' as from_sequence, value ->> 'toSequence' as to_sequence
    from json_each(:fences)`
