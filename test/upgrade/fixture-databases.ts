import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { createEmptyDatabase, run } from '../support/databases.ts'
import type { Env, Home, StorageName } from '../support/server.ts'
import { createFolder } from '../support/temporary-folder.ts'

/** Databases of version 0.1.0 with a bit of everything. `make-fixtures-program.ts` makes them; nothing changes them after the release. */
const fixtureVersion = '0.1.0'

export type FixtureStorage = Exclude<StorageName, 'memory'>

/** What is in a fixture: the ids of its things by the part of the path in front of them, and a text that is in everything stored. */
export type FixtureFacts = {
  readonly madeAt: string
  readonly migrations: number
  readonly canary: string
  readonly subject: string
  readonly things: Readonly<Record<string, string>>
}

/** Keys of the fixtures only. Without them a program could read the databases, but neither open their secrets nor check receipts. */
export const fixtureEnv: Env = {
  COLOPHON_VAULT_KEY: Buffer.alloc(32, 7).toString('base64'),
  COLOPHON_SIGNING_KEY: Buffer.alloc(32, 9).toString('base64'),
  COLOPHON_BOOTSTRAP_KEY: 'bootstrap-key-of-the-fixtures',
  COLOPHON_OPERATOR_KEY: 'operator-key-of-the-fixtures',
}

/** A secret that the vault of each fixture has. */
export const fixtureSecret = 'plum-7-ladder-42-violin'

const file = (name: string) => new URL(`fixtures/${fixtureVersion}${name}`, import.meta.url)
export const sqliteFixture = file('.db.br')
export const postgresFixture = file('.sql')
export const factsFile = (storage: FixtureStorage) => file(`.${storage}.json`)

export function factsOf(storage: FixtureStorage): FixtureFacts {
  return JSON.parse(readFileSync(factsFile(storage), 'utf8')) as FixtureFacts
}

/** A home with the database of a fixture, as an operator has it before an upgrade. */
export async function restoreFixture(storage: FixtureStorage): Promise<Home> {
  const folder = createFolder()
  const dataDir = folder.file('data')
  mkdirSync(dataDir, { mode: 0o700 })
  const database = storage === 'postgres' ? await createEmptyDatabase() : null
  if (database) await run(database.url, readFileSync(postgresFixture, 'utf8'))
  else writeFileSync(join(dataDir, 'colophon.db'), brotliDecompressSync(readFileSync(sqliteFixture)))
  return {
    dataDir,
    env: {
      ...fixtureEnv,
      COLOPHON_DATA_DIR: dataDir,
      ...(database ? { COLOPHON_DATABASE_URL: database.url } : {}),
    },
    async [Symbol.asyncDispose]() {
      folder.remove()
      await database?.drop()
    },
  }
}
