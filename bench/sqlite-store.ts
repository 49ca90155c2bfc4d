import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { openColophon, type TenantMemory } from '../src/index.ts'
import { createRandom } from '../test/support/random.ts'
import { actor, createDrafts, memoryRef, shuffle } from './entries.ts'
import { openRawSqlite, type RawSqlite } from './raw-sqlite.ts'

/** The same entries twice, ours and raw, each in a file of its own. */
export type Store = {
  readonly size: number
  readonly memory: TenantMemory
  readonly memoryRef: string
  readonly raw: RawSqlite
  /** Some of the ids, spread over the whole age of the store and in no order. */
  readonly ids: readonly string[]
  readonly position: number
  close(): Promise<void>
}

export const tenantId = 'bench'
const sampledIdsMax = 10_000

/** Fills one file through the library and copies it: both sides start from the same bytes, in the same layout. */
export async function openStore(folder: string, size: number): Promise<Store> {
  const oursPath = join(folder, `ours-${size}.db`)
  const rawPath = join(folder, `raw-${size}.db`)
  const ids = await fillStore(oursPath, size)
  copyFileSync(oursPath, rawPath)
  const colophon = await openColophon({ path: oursPath, actor })
  const memory = colophon.memory(tenantId)
  const raw = openRawSqlite(rawPath, tenantId, { audit: true })
  return {
    size,
    memory,
    memoryRef,
    raw,
    ids,
    position: (await memory.snapshot()).position,
    async close() {
      await colophon.close()
      raw.close()
      await verifyFile(rawPath)
    },
  }
}

/** Batches of 1,000; a small store gets smaller ones, because a snapshot needs positions to look back to. */
export async function fillStore(path: string, size: number): Promise<string[]> {
  const batchEntries = Math.min(1_000, Math.ceil(size / 10))
  const stride = Math.ceil(size / sampledIdsMax)
  const drafts = createDrafts(size)
  const ids: string[] = []
  await using colophon = await openColophon({ path, actor })
  const memory = colophon.memory(tenantId)
  for (let stored = 0; stored < size; ) {
    const { entries } = await memory.putMany(memoryRef, drafts(Math.min(batchEntries, size - stored)))
    entries.forEach((entry, index) => {
      if ((stored + index) % stride === 0) ids.push(entry.id)
    })
    stored += entries.length
  }
  return shuffle(ids, createRandom(1))
}

/** The raw side is only a yardstick if what it wrote is what we would have written. */
async function verifyFile(path: string): Promise<void> {
  await using colophon = await openColophon({ path })
  const verdict = await colophon.memory(tenantId).verify({ contents: true })
  if (!verdict.ok) throw new Error(`The raw side of the benchmark wrote a wrong audit: ${JSON.stringify(verdict)}`)
}
