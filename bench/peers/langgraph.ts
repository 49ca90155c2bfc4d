import { randomUUID } from 'node:crypto'
import { dimensions, langchainEmbedder } from './embedder.ts'
import { importPeer } from './install.ts'
import { hitsMax, type Opened, type Product, pageEntries } from './product.ts'

type Value = { text: string }
type Item = { key: string; value: Value }
type Store = {
  put(namespace: string[], key: string, value: Value): Promise<void>
  get(namespace: string[], key: string): Promise<Item | null>
  search(namespace: string[], options: { query?: string; limit: number }): Promise<Item[]>
  delete(namespace: string[], key: string): Promise<void>
}
type PostgresStore = Store & { setup(): Promise<void>; stop(): Promise<void> }

const namespace = ['agents', 'concierge']
const fillsAtOnce = 16

function wrap(store: Store, close: () => Promise<void>): Opened {
  const put = async (content: string) => {
    const key = randomUUID()
    await store.put(namespace, key, { text: content })
    return key
  }
  const texts = (items: readonly Item[]) => items.map(({ value }) => value.text)
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
    type Module = { InMemoryStore: new (options: object) => Store }
    const { InMemoryStore } = await importPeer<Module>('@langchain/langgraph-checkpoint')
    const index = { dims: dimensions, embeddings: langchainEmbedder, fields: ['text'] }
    return wrap(new InMemoryStore({ index }), async () => {})
  },
}

export const langGraphPostgres: Product = {
  name: 'LangGraph PostgresStore',
  package: '@langchain/langgraph-checkpoint-postgres',
  durability: 'PostgreSQL, fsync and synchronous_commit on: survives a power cut; each put a transaction',
  needsPostgres: true,
  async open({ databaseUrl }) {
    type Module = { PostgresStore: new (options: object) => PostgresStore }
    const { PostgresStore } = await importPeer<Module>('@langchain/langgraph-checkpoint-postgres/store')
    // As many connections as Colophon keeps.
    const store = new PostgresStore({ connectionOptions: { connectionString: databaseUrl, max: 16 } })
    await store.setup()
    return wrap(store, () => store.stop())
  },
}
