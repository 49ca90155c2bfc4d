import type { Database } from 'better-sqlite3'
import type { PeopleStore } from '../../ports/people-store.ts'
import { type SpelledTwiceRow, type SpellingRow, toSpelledTwice, toSpelling } from '../sql/people-rows.ts'

export function createPeopleStore(reader: Database, answer: <T>(work: () => T) => Promise<T>): PeopleStore {
  const spellings = reader.prepare(`
    select spelling, last_position
      from person_spelling
     where tenant_id = ?
       and folded = ?
     order by first_position, spelling`)
  const twice = reader.prepare(`
    select folded, json_group_array(spelling order by first_position, spelling) as spellings
      from person_spelling
     where tenant_id = :tenantId
       and folded > :after
     group by folded
    having count(*) > 1
     order by folded
     limit +:limit`)
  return {
    spellings: (tenantId, folded) => answer(() => (spellings.all(tenantId, folded) as SpellingRow[]).map(toSpelling)),
    spelledTwice: ({ after, ...query }) =>
      answer(() => (twice.all({ ...query, after: after ?? '' }) as SpelledTwiceRow[]).map(toSpelledTwice)),
  }
}
