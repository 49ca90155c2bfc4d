import { join } from 'node:path'
import { dimensions, embed, langchainEmbedder } from './embedder.ts'
import { importPeer } from './install.ts'

/** How other products are set up: in one way, whatever is measured of them. Each caller names the calls that it makes. */

type Class<Instance> = new (options: object) => Instance

export async function openMem0<Memory>(folder: string): Promise<Memory> {
  Object.assign(process.env, { MEM0_TELEMETRY: 'false', MEM0_DIR: folder })
  const { Memory } = await importPeer<{ Memory: Class<Memory> }>('mem0ai/oss')
  const never = () => Promise.reject(new Error('No model takes part.'))
  return new Memory({
    embedder: { provider: 'langchain', config: { model: langchainEmbedder, embeddingDims: dimensions } },
    llm: { provider: 'langchain', config: { model: { invoke: never } } },
    vectorStore: {
      provider: 'memory',
      config: { collectionName: 'memories', dimension: dimensions, dbPath: join(folder, 'vectors.db') },
    },
    historyStore: { provider: 'sqlite', config: { historyDbPath: join(folder, 'history.db') } },
  })
}

type Value = { readonly text: string }
export type LangGraphItem = { readonly key: string; readonly value: Value }
export type LangGraphStore = {
  put(namespace: string[], key: string, value: Value): Promise<void>
  get(namespace: string[], key: string): Promise<LangGraphItem | null>
  search(namespace: string[], options: { query?: string; limit: number }): Promise<LangGraphItem[]>
  delete(namespace: string[], key: string): Promise<void>
}
type PostgresStore = LangGraphStore & { setup(): Promise<void>; stop(): Promise<void> }

export async function openInMemoryStore(): Promise<LangGraphStore> {
  type Module = { InMemoryStore: Class<LangGraphStore> }
  const { InMemoryStore } = await importPeer<Module>('@langchain/langgraph-checkpoint')
  return new InMemoryStore({ index: { dims: dimensions, embeddings: langchainEmbedder, fields: ['text'] } })
}

export async function openPostgresStore(connectionOptions: object): Promise<PostgresStore> {
  type Module = { PostgresStore: Class<PostgresStore> }
  const { PostgresStore } = await importPeer<Module>('@langchain/langgraph-checkpoint-postgres/store')
  const store = new PostgresStore({ connectionOptions })
  await store.setup()
  return store
}

type MastraContent = { content?: string; parts: { type: string; text?: string }[] }
export type MastraMessage = { readonly id: string; readonly content: MastraContent }

export const mastraText = ({ content }: MastraMessage) =>
  content.content ?? content.parts.map(({ text }) => text ?? '').join('')

const mastraEmbedder = {
  specificationVersion: 'v2',
  provider: 'bench',
  modelId: 'words',
  maxEmbeddingsPerCall: 1_000,
  supportsParallelCalls: true,
  doEmbed: async ({ values }: { values: string[] }) => ({ embeddings: values.map(embed) }),
}

export async function openMastra<Memory, Storage, Vector = object>(folder: string, options: object) {
  type Libsql = { LibSQLStore: Class<Storage & { init(): Promise<void> }>; LibSQLVector: Class<Vector> }
  const { LibSQLStore, LibSQLVector } = await importPeer<Libsql>('@mastra/libsql')
  const { Memory } = await importPeer<{ Memory: Class<Memory> }>('@mastra/memory')
  const url = `file:${join(folder, 'mastra.db')}`
  const storage = new LibSQLStore({ id: 'storage', url })
  const vector = new LibSQLVector({ id: 'vector', url })
  const memory = new Memory({ storage, vector, embedder: mastraEmbedder, options })
  await storage.init()
  return { memory, storage, vector }
}
