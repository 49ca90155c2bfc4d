import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import type { TenantMemory } from '../../src/app/tenant.ts'
import { builtInHandlers } from '../../src/jobs/built-in.ts'
import { Worker } from '../../src/jobs/worker.ts'
import { composeEngine } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { createDatabase } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'

export const tenantId = 'acme'
export const dayMs = 24 * 60 * 60 * 1_000
export const never = new AbortController().signal

export type Clock = { now: number }

type Opened = { readonly storage: Storage; readonly again: () => Promise<Storage>; readonly drop: () => Promise<void> }

/** `again` opens the same data a second time, as another process would; only PostgreSQL allows that. */
export const stores: Record<string, (now: () => number) => Promise<Opened>> = {
  async model(now) {
    const storage = openInMemoryStore({ now })
    return { storage, again: async () => storage, drop: async () => {} }
  },
  async sqlite(now) {
    const folder = createFolder()
    const storage = openSqlite({ path: folder.file('x.db'), now })
    return { storage, again: async () => storage, drop: async () => folder.remove() }
  },
  async postgres(now) {
    const { url, drop } = await createDatabase()
    const open = () => openPostgres({ url, now })
    return { storage: await open(), again: open, drop }
  },
}

const started = new Set<Worker>()

export function processOn(storage: Storage, clock: Clock) {
  const { engine, workers } = composeEngine(
    storage,
    nodeSystem(() => clock.now),
    'test',
    null,
  )
  const start = () => {
    const options = { handlers: builtInHandlers(engine), concurrency: 4, pollMs: 10 }
    const worker = new Worker(engine, options, () => workers.delete(worker)).start()
    workers.add(worker)
    started.add(worker)
    return worker
  }
  return { engine, memory: engine.tenant(tenantId), start }
}

export async function withStore(
  open: (typeof stores)[string],
  body: (
    world: ReturnType<typeof processOn> & { clock: Clock; storage: Storage; again: Opened['again'] },
  ) => Promise<void>,
): Promise<void> {
  const clock = { now: Date.parse('2026-03-01T12:00:00Z') }
  const { storage, again, drop } = await open(() => clock.now)
  try {
    await storage.ensureTenant(tenantId, { macKey: new Uint8Array(32) }, clock.now)
    await body({ ...processOn(storage, clock), clock, storage, again })
  } finally {
    // Also after a test that failed half-way: a worker without a store would never end.
    for (const worker of started) await worker.stop()
    started.clear()
    await storage.close()
    await drop()
  }
}

/** Everything that can be read at a position, in one text. */
export async function stateAt(memory: TenantMemory, refs: readonly string[], asOf: number): Promise<string> {
  const pages = await Promise.all(refs.map((ref) => memory.list(ref, { asOf, limit: 500 })))
  return JSON.stringify(pages.map(({ entries }) => entries))
}
