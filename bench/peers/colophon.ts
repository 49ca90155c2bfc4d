import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { limits } from '../../src/core/limits.ts'
import { openColophon, type Storage } from '../../src/index.ts'
import { openStorage } from '../../src/open.ts'
import { actor, memoryRef } from '../entries.ts'
import { hitsMax, type Opened, type Product, pageEntries } from './product.ts'

const tenantId = 'default'
const batchEntries = 1_000

async function open(where: { path: string } | { databaseUrl: string }): Promise<Opened> {
  const storage = await openStorage(where, Date.now)
  const colophon = await openColophon({ storage, actor })
  const memory = colophon.memory(tenantId)
  return {
    put: async (content) => (await memory.put(memoryRef, { content })).id,
    get: async (id) => (await memory.get(memoryRef, id))?.content ?? null,
    page: async () => (await memory.list(memoryRef, { limit: pageEntries })).entries.map(({ content }) => content),
    async search(words) {
      const { results } = await memory.search(memoryRef, words, { limit: hitsMax })
      return results.map(({ entry }) => entry.content)
    },
    async delete(id) {
      await memory.delete(memoryRef, id)
    },
    async fill(contents) {
      const ids: string[] = []
      for (let at = 0; at < contents.length; at += batchEntries) {
        const drafts = contents.slice(at, at + batchEntries).map((content) => ({ content }))
        ids.push(...(await memory.putMany(memoryRef, drafts)).entries.map(({ id }) => id))
      }
      await untilIndexed(storage)
      return ids
    },
    close: () => colophon.close(),
  }
}

/** Nothing is timed while the loaded rows are still being indexed. */
async function untilIndexed({ search }: Storage): Promise<void> {
  const rowsMax = limits.searchUnindexedRows
  const isBehind = async () =>
    (await search.unindexed({ after: null, rowsMax, limit: 1 })).some(({ rows }) => rows >= rowsMax)
  while (await isBehind()) await delay(20)
}

export const colophonSqlite: Product = {
  name: 'Colophon',
  package: null,
  durability: 'SQLite, WAL, synchronous=FULL: survives a power cut; one sync for all that wait together',
  open: ({ folder }) => open({ path: join(folder, 'colophon.db') }),
}

export const colophonPostgres: Product = {
  name: 'Colophon',
  package: null,
  durability: 'PostgreSQL, fsync and synchronous_commit on: survives a power cut',
  needsPostgres: true,
  open: ({ databaseUrl }) => open({ databaseUrl }),
}

/** Fills a data folder before a server takes it over. */
export async function fillDataFolder(folder: string, contents: readonly string[]): Promise<string[]> {
  const opened = await open({ path: join(folder, 'colophon.db') })
  try {
    return await opened.fill(contents)
  } finally {
    await opened.close()
  }
}
