import { randomUUID } from 'node:crypto'
import { type LangGraphItem, type LangGraphStore, openInMemoryStore, openPostgresStore } from './open-peers.ts'
import { hitsMax, type Opened, type Product, pageEntries } from './product.ts'

const namespace = ['agents', 'concierge']
const fillsAtOnce = 16

function wrap(store: LangGraphStore, close: () => Promise<void>): Opened {
  const put = async (content: string) => {
    const key = randomUUID()
    await store.put(namespace, key, { text: content })
    return key
  }
  const texts = (items: readonly LangGraphItem[]) => items.map(({ value }) => value.text)
  return {
    put,
    get: async (key) => (await store.get(namespace, key))?.value.text ?? null,
    page: async () => texts(await store.search(namespace, { limit: pageEntries })),
    search: async (words) => texts(await store.search(namespace, { query: words, limit: hitsMax })),
    delete: (key) => store.delete(namespace, key),
    async fill(contents) {
      const keys: string[] = []
      for (let at = 0; at < contents.length; at += fillsAtOnce) {
        keys.push(...(await Promise.all(contents.slice(at, at + fillsAtOnce).map(put))))
      }
      return keys
    },
    close,
  }
}

export const langGraphMemory: Product = {
  name: 'LangGraph InMemoryStore',
  package: '@langchain/langgraph-checkpoint',
  durability: 'none: gone with the process',
  async open() {
    return wrap(await openInMemoryStore(), async () => {})
  },
}

export const langGraphPostgres: Product = {
  name: 'LangGraph PostgresStore',
  package: '@langchain/langgraph-checkpoint-postgres',
  durability: 'PostgreSQL, fsync and synchronous_commit on: survives a power cut; each put a transaction',
  needsPostgres: true,
  async open({ databaseUrl }) {
    // As many connections as Colophon keeps.
    const store = await openPostgresStore({ connectionString: databaseUrl, max: 16 })
    return wrap(store, () => store.stop())
  },
}
