import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import type { Engine, Host } from '../../src/app/engine.ts'
import type { Tenant } from '../../src/app/tenant.ts'
import { builtInHandlers } from '../../src/jobs/built-in.ts'
import { Worker } from '../../src/jobs/worker.ts'
import { composeEngine } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { createDatabase } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'

export const tenantId = 'acme'
export const ref = 'agents/concierge'

/** The engine without a wire, on a clock that only moves when the test says so. */
export type CompactionWorld = AsyncDisposable & {
  readonly engine: Engine
  readonly clock: { now: number }
  readonly memory: Tenant
  /** A second process on the same store, when the store takes one. */
  readonly openAgain: () => Promise<Engine>
  readonly startWorker: () => void
}

type Opened = { readonly open: () => Promise<Storage>; readonly drop: () => Promise<void> }

export const stores: Record<string, (now: () => number) => Promise<Opened>> = {
  model: async (now) => {
    const model = openInMemoryStore({ now })
    // It stands for a durable store here: only such a one has compactions.
    const storage = { ...model, traits: { ...model.traits, durable: true } }
    return { open: async () => storage, drop: async () => {} }
  },
  async sqlite(now) {
    const folder = createFolder()
    return { open: async () => openSqlite({ path: folder.file('x.db'), now }), drop: async () => folder.remove() }
  },
  async postgres(now) {
    const database = await createDatabase()
    return { open: () => openPostgres({ url: database.url, now }), drop: database.drop }
  },
}

export async function openCompactionWorld(
  store: keyof typeof stores,
  parts: { readonly wrap?: (storage: Storage) => Storage; readonly host?: Partial<Host> } = {},
): Promise<CompactionWorld> {
  const clock = { now: Date.parse('2026-03-01T12:00:00Z') }
  const now = () => clock.now
  const opened = await stores[store]?.(now)
  if (opened === undefined) throw new Error(`there is no store ${store}`)
  const closing: (() => Promise<void>)[] = []
  const compose = async (wrap: (storage: Storage) => Storage) => {
    const composed = composeEngine(wrap(await opened.open()), nodeSystem(now), 'test', null, parts.host)
    closing.push(composed.close)
    return composed
  }
  const { engine, workers } = await compose(parts.wrap ?? ((storage) => storage))
  await engine.storage.ensureTenant(tenantId, { macKey: engine.system.newKey() }, now())
  return {
    engine,
    clock,
    memory: engine.tenant(tenantId),
    openAgain: async () => (await compose((storage) => storage)).engine,
    startWorker() {
      const options = { handlers: builtInHandlers(engine), concurrency: 4, leaseMs: 10_000, pollMs: 20 }
      workers.add(new Worker(engine, options, () => {}).start())
    },
    async [Symbol.asyncDispose]() {
      for (const close of closing) await close()
      await opened.drop()
    },
  }
}

/** So many entries, each of which says something else. */
export async function putFacts({ memory }: CompactionWorld, count: number, memoryRef = ref): Promise<string[]> {
  const drafts = Array.from({ length: count }, (_, n) => ({ content: `Customer ${n} owes ${n * 7 + 1} EUR.` }))
  return (await memory.putMany(memoryRef, drafts)).entries.map(({ id }) => id)
}
