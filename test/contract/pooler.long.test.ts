import { after, before, describe, test } from 'node:test'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { createDatabase, releaseServer, run } from '../support/databases.ts'
import { type Pooler, pgbouncerVersion, startPgbouncer } from '../support/pgbouncer.ts'
import { describeStorageContract } from './suite/index.ts'

after(releaseServer)

// The whole contract, while every transaction may get another connection.
if (pgbouncerVersion === null)
  test('POOLER NOT TESTED: pgbouncer is not installed (Debian: apt install pgbouncer)', { skip: true })
else
  describe(`through pgbouncer ${pgbouncerVersion} in transaction mode`, () => {
    let pooler: Pooler
    before(async () => {
      const database = await createDatabase()
      pooler = await startPgbouncer(database.url)
      await database.drop()
    })
    after(() => pooler[Symbol.asyncDispose]())

    describeStorageContract('postgres', {
      async open({ now }) {
        const database = await createDatabase()
        const storage = await openPostgres({ url: pooler.urlOf(database.url), now, pooler: 'transaction' })
        return {
          storage,
          execute: async (sql) => void (await run(database.url, sql)),
          dispose: () => database.drop(),
        }
      },
    })
  })
