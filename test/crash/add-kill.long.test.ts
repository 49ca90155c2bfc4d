import { after, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { addWithKills } from './add-load.ts'

after(releaseServer)

const deadline = { timeout: 280_000 }

test('SQLite: a thousand adds during many kills each take effect once', deadline, () =>
  addWithKills({ storage: 'sqlite', servers: 1, adds: 1_000, kills: 12 }),
)

test('PostgreSQL: a thousand adds on two servers during many kills each take effect once', deadline, () =>
  addWithKills({ storage: 'postgres', servers: 2, adds: 1_000, kills: 12 }),
)
