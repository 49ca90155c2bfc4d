import { nodeSystem } from '../../../src/adapters/system/node-system.ts'
import { type Colophon, composeColophon } from '../../../src/open.ts'
import type { Storage } from '../../../src/ports/storage.ts'
import { testMacKey } from './batch.ts'
import { assertCounted } from './counted.ts'

/** An empty store that was opened for one test, and the function that removes it. */
export type OpenedStorage = {
  readonly storage: Storage
  /** Runs SQL past the store, for tests that tamper with rows. A store without SQL leaves it out. */
  readonly execute?: (sql: string) => Promise<void>
  readonly dispose: () => Promise<void>
}

export type StorageContract = {
  readonly open: (options: { now: () => number }) => Promise<OpenedStorage>
  /** Titles of tests that this store cannot pass, each with the reason. Both are shown in the output. */
  readonly skip?: Readonly<Record<string, string>>
  /** For a store without SQL: the reason why tests that tamper by SQL are skipped. */
  readonly withoutSql?: string
}

/** A clock that moves only when the test moves it. */
export type TestClock = { now: number; advance(ms: number): void }

export type World = {
  readonly colophon: Colophon
  readonly storage: Storage
  readonly clock: TestClock
  readonly execute: (sql: string) => Promise<void>
}

/** Each test has its own world: store, clock, ids. */
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
    await assertCounted(storage, 'acme')
  } finally {
    await colophon.close()
    await dispose()
  }
}

async function noSql(): Promise<void> {
  throw new Error('This store takes no SQL: give the reason in `withoutSql`, or give `execute`.')
}

export type ContractTest = (name: string, body: (world: World) => Promise<void>, needs?: { sql: boolean }) => void
