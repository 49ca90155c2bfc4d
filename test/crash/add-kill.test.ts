import { after, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { isThorough } from '../support/thorough.ts'
import { addWithKills } from './add-load.ts'

after(releaseServer)

const deadline = { timeout: 120_000 }
const load = isThorough ? { adds: 300, kills: 4 } : { adds: 120, kills: 2 }

test('SQLite: a killed server loses no acknowledged add, and makes no memory twice', deadline, () =>
  addWithKills({ storage: 'sqlite', servers: 1, ...load }),
)

test(
  'PostgreSQL: with one of two servers killed repeatedly, no acknowledged add is lost and no memory is made twice',
  deadline,
  () => addWithKills({ storage: 'postgres', servers: 2, ...load }),
)
