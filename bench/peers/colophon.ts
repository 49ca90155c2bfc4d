import { join } from 'node:path'
import { openColophon } from '../../src/index.ts'
import { actor, memoryRef } from '../entries.ts'
import { hitsMax, type Opened, type Product, pageEntries } from './product.ts'

const tenantId = 'default'
const batchEntries = 1_000

async function open(where: { path: string } | { databaseUrl: string }): Promise<Opened> {
  const colophon = await openColophon({ ...where, actor })
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
      return ids
    },
    close: () => colophon.close(),
  }
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
