import { after } from 'node:test'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { createDatabase, releaseServer, run } from '../support/databases.ts'
import { describeStorageContract } from './suite/index.ts'

after(releaseServer)

describeStorageContract('postgres', {
  async open({ now }) {
    const database = await createDatabase()
    const storage = await openPostgres({ url: database.url, now })
    return {
      storage,
      execute: async (sql) => void (await run(database.url, sql)),
      dispose: () => database.drop(),
    }
  },
})
