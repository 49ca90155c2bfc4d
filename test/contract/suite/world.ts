import { nodeSystem } from '../../../src/adapters/system/node.ts'
import { type Colophon, composeColophon } from '../../../src/open.ts'
import type { Storage } from '../../../src/ports/storage.ts'
import { testMacKey } from './batch.ts'

/** A store that was opened for one test, empty, and how to give it back. */
export type OpenedStorage = {
  readonly storage: Storage
  /** Runs SQL behind the store's back, for tests that tamper; left out by stores without SQL. */
  readonly execute?: (sql: string) => Promise<void>
  readonly dispose: () => Promise<void>
}

export type StorageContract = {
  readonly open: (options: { now: () => number }) => Promise<OpenedStorage>
  /** Names of tests this store cannot pass, each with the reason; they show in the output. */
  readonly skip?: Readonly<Record<string, string>>
  /** Why the tests that tamper by SQL cannot run here, for a store without SQL. */
  readonly withoutSql?: string
}

/** A clock that only moves when the test says so. */
export type TestClock = { now: number; advance(ms: number): void }

export type World = {
  readonly colophon: Colophon
  readonly storage: Storage
  readonly clock: TestClock
  readonly execute: (sql: string) => Promise<void>
}

/** Each test owns its world: store, clock, ids. */
export async function withWorld(contract: StorageContract, body: (world: World) => Promise<void>): Promise<void> {
  const clock: TestClock = {
    now: Date.parse('2026-01-01T00:00:00Z'),
    advance(ms) {
      this.now += ms
    },
  }
  const now = () => clock.now
  const { storage, execute = noSql, dispose } = await contract.open({ now })
  const colophon = composeColophon(storage, { ...nodeSystem(now), newKey: () => testMacKey }, 'test')
  try {
    await body({ colophon, storage, clock, execute })
  } finally {
    await colophon.close()
    await dispose()
  }
}

async function noSql(): Promise<void> {
  throw new Error('This store takes no SQL: say so with `withoutSql`, or give `execute`.')
}

export type ContractTest = (name: string, body: (world: World) => Promise<void>, needs?: { sql: boolean }) => void
