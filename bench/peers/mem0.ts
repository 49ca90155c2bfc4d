import { randomUUID } from 'node:crypto'
import { embed } from './embedder.ts'
import { openMem0 } from './open-peers.ts'
import { hitsMax, type Opened, type Product, pageEntries } from './product.ts'

type Item = { id: string; memory: string }
type Mem0 = {
  add(text: string, config: { userId: string; infer: boolean }): Promise<{ results: Item[] }>
  get(id: string): Promise<Item | null>
  getAll(config: { filters: object; topK: number }): Promise<{ results: Item[] }>
  search(query: string, config: { filters: object; topK: number }): Promise<{ results: Item[] }>
  delete(id: string): Promise<unknown>
  vectorStore: { insert(vectors: number[][], ids: string[], payloads: object[]): Promise<void> }
}

const userId = 'ada'
const filters = { user_id: userId }
const batchEntries = 1_000

async function open(folder: string): Promise<Opened> {
  const memory = await openMem0<Mem0>(folder)
  const [sample] = (await memory.add('a sample', { userId, infer: false })).results
  await memory.delete(sample?.id ?? '')
  return {
    async put(content) {
      return (await memory.add(content, { userId, infer: false })).results[0]?.id ?? ''
    },
    get: async (id) => (await memory.get(id))?.memory ?? null,
    page: async () => (await memory.getAll({ filters, topK: pageEntries })).results.map((item) => item.memory),
    async search(words) {
      return (await memory.search(words, { filters, topK: hitsMax })).results.map((item) => item.memory)
    },
    async delete(id) {
      await memory.delete(id)
    },
    // Its own rows through its own vector store, without the history: add() takes one at a time.
    async fill(contents) {
      const ids = contents.map(() => randomUUID())
      for (let at = 0; at < contents.length; at += batchEntries) {
        const batch = contents.slice(at, at + batchEntries)
        const createdAt = new Date().toISOString()
        const payloads = batch.map((data) => ({ data, textLemmatized: data, user_id: userId, createdAt }))
        await memory.vectorStore.insert(batch.map(embed), ids.slice(at, at + batchEntries), payloads)
      }
      return ids
    },
    close: async () => {},
  }
}

export const mem0: Product = {
  name: 'mem0',
  package: 'mem0ai',
  durability:
    'two SQLite files, rollback journal, synchronous=FULL: survives a power cut; a memory and its history are two transactions',
  open: ({ folder }) => open(folder),
}
