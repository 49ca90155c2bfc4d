import Database from 'better-sqlite3'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { createDatabase, run } from '../support/databases.ts'
import { changeTagsByName } from '../support/tags-by-name.ts'
import { createFolder } from '../support/temporary-folder.ts'
import type { UseCaseWorld } from '../support/use-cases.ts'
import { worldOn } from './acts.ts'

/** A world on a store, and direct access to its database. */
export type TamperedWorld = {
  readonly world: UseCaseWorld
  readonly execute: (sql: string) => Promise<void>
  readonly close: () => Promise<void>
}

type Opened = {
  readonly storage: Storage
  readonly execute: (sql: string) => Promise<void>
  readonly drop: () => Promise<void>
}

const openers = {
  async model(now: () => number): Promise<Opened> {
    return { storage: openInMemoryStore({ now }), execute: async () => {}, drop: async () => {} }
  },
  async sqlite(now: () => number): Promise<Opened> {
    const folder = createFolder()
    const path = folder.file('memory.db')
    const storage = openSqlite({ path, now })
    const execute = async (sql: string) => {
      const db = new Database(path)
      db.exec(sql)
      db.close()
    }
    return { storage, execute, drop: async () => folder.remove() }
  },
  async postgres(now: () => number): Promise<Opened> {
    const { url, drop } = await createDatabase()
    const storage = await openPostgres({ url, now, connectionsMax: 3 })
    return { storage, execute: async (sql) => void (await run(url, sql)), drop }
  },
} as const

/** Lets statements plant rows: tags by their names, and versions without a number in their ref, which is of no concern to the audit. */
export const allowPlanting = {
  sqlite: changeTagsByName.join('; '),
  postgres: 'alter table entry_version alter column nth drop not null',
} as const

export type StoreKind = keyof typeof openers

export async function openTampered(kind: StoreKind): Promise<TamperedWorld> {
  const clock = { now: () => 0 }
  const { storage, execute, drop } = await openers[kind](() => clock.now())
  const world = worldOn(storage)
  clock.now = () => world.clock.now
  const close = async () => {
    await world[Symbol.asyncDispose]()
    await drop()
  }
  return { world, execute, close }
}
