import type { PeopleStore } from '../../ports/people-store.ts'
import { type SpelledTwiceRow, type SpellingRow, toSpelledTwice, toSpelling } from '../sql/people-rows.ts'
import { query, statement } from './connection.ts'
import type { Database } from './database.ts'

export function createPeopleStore(database: Database): PeopleStore {
  return {
    async spellings(tenantId, folded) {
      return (await query<SpellingRow>(database, sql.spellings, [tenantId, folded])).map(toSpelling)
    },
    async spelledTwice({ tenantId, after, limit }) {
      return (await query<SpelledTwiceRow>(database, sql.twice, [tenantId, after ?? '', limit])).map(toSpelledTwice)
    },
  }
}

const sql = {
  spellings: statement(
    'spellings_of_person',
    `select spelling, last_position
       from person_spelling
      where tenant_id = $1
        and folded = $2
      order by first_position, spelling`,
  ),
  twice: statement(
    'people_spelled_twice',
    `select folded, json_agg(spelling order by first_position, spelling)::text as spellings
       from person_spelling
      where tenant_id = $1
        and folded > $2
      group by folded
     having count(*) > 1
      order by folded
      limit $3`,
  ),
}
