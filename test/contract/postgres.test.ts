import { after } from 'node:test'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { describeStorageContract } from '../../src/testing/index.ts'
import { createDatabase, releaseServer, run } from '../support/databases.ts'

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
