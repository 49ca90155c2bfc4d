import { test } from 'node:test'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { createDatabase, run } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { type Scenario, type StoryOptions, scenarios } from './run-script.ts'
import type { Store } from './run-world.ts'
import { runsOf } from './runs.ts'

/** `sql` changes rows past the program, as only an operator or an accident does. */
export type Opened = Store & {
  readonly sql?: (text: string, values: readonly string[]) => Promise<void>
  close(): Promise<void>
}

type StoreKind = 'model' | 'sqlite' | 'postgres'

const openers: Readonly<Record<StoreKind, () => Promise<Opened>>> = {
  async model() {
    const clock = { now: 0 }
    const storage = openInMemoryStore({ now: () => clock.now })
    return { storage, clock, close: () => storage.close() }
  },
  async sqlite() {
    const clock = { now: 0 }
    const folder = createFolder()
    const path = folder.file('scenarios.db')
    const storage = openSqlite({ path, now: () => clock.now })
    const behind = new Database(path)
    const sql = async (text: string, values: readonly string[]) => {
      behind.prepare(text.replaceAll(/\$\d/g, '?')).run(...values)
    }
    const close = async () => {
      behind.close()
      await storage.close()
      folder.remove()
    }
    return { storage, clock, sql, close }
  },
  async postgres() {
    const clock = { now: 0 }
    const database = await createDatabase()
    const storage = await openPostgres({ url: database.url, now: () => clock.now, connectionsMax: 2 })
    const sql = async (text: string, values: readonly string[]) => {
      await run(database.url, text, [...values])
    }
    const close = async () => {
      await storage.close()
      await database.drop()
    }
    return { storage, clock, sql, close }
  },
}

/** One test per store; `runs` is the number of scenarios for each. */
export function onStores(
  name: string,
  runs: Readonly<Partial<Record<StoreKind, number>>>,
  options: StoryOptions,
  check: (store: Opened, scenario: Scenario) => Promise<void>,
): void {
  for (const [kind, numRuns] of Object.entries(runs) as [StoreKind, number][]) {
    test(`${name} (${kind})`, async () => {
      const shared = kind === 'model' ? null : await openers[kind]()
      try {
        const property = fc.asyncProperty(scenarios(options), async (scenario) =>
          check(shared ?? (await openers.model()), scenario),
        )
        await fc.assert(property, { numRuns: runsOf(numRuns) })
      } finally {
        await shared?.close()
      }
    })
  }
}
