import { after, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { addWithKills } from './add-load.ts'

after(releaseServer)

const deadline = { timeout: 120_000 }

test('SQLite: a killed server loses nothing it was told, and makes no memory twice', deadline, () =>
  addWithKills({ storage: 'sqlite', servers: 1, adds: 300, kills: 4 }),
)

test('PostgreSQL: of two servers one is killed again and again, likewise', deadline, () =>
  addWithKills({ storage: 'postgres', servers: 2, adds: 300, kills: 4 }),
)
