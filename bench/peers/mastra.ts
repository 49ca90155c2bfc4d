import { randomUUID } from 'node:crypto'
import { type MastraMessage, mastraText, openMastra } from './open-peers.ts'
import { hitsMax, type Opened, type Product, pageEntries } from './product.ts'

type Recall = { threadId: string; resourceId: string; perPage: number; vectorSearchString?: string }
type Memory = {
  saveThread(input: { thread: object }): Promise<unknown>
  saveMessages(input: { messages: object[] }): Promise<unknown>
  recall(input: Recall): Promise<{ messages: MastraMessage[] }>
  deleteMessages(ids: string[]): Promise<void>
  settled(): Promise<void>
}
type Storage = {
  getStore(
    name: 'memory',
  ): Promise<{ listMessagesById(input: { messageIds: string[] }): Promise<{ messages: MastraMessage[] }> }>
}
const threadId = 'conversation'
const resourceId = 'ada'
const batchEntries = 100

async function open(folder: string): Promise<Opened> {
  const semanticRecall = { topK: hitsMax, messageRange: 0, scope: 'resource' }
  const opened = await openMastra<Memory, Storage>(folder, { lastMessages: pageEntries, semanticRecall })
  const { memory, storage } = opened
  const messages = await storage.getStore('memory')
  const now = new Date()
  await memory.saveThread({ thread: { id: threadId, resourceId, title: 'bench', createdAt: now, updatedAt: now } })
  // Its searches go by the time of a message, and mistake one for another that has the same.
  let latest = Date.now()
  const toMessage = (id: string, text: string) => {
    latest = Math.max(latest + 1, Date.now())
    return {
      ...{ id, threadId, resourceId, role: 'user', createdAt: new Date(latest) },
      content: { format: 2, parts: [{ type: 'text', text }] },
    }
  }
  return {
    async put(content) {
      const id = randomUUID()
      await memory.saveMessages({ messages: [toMessage(id, content)] })
      return id
    },
    async get(id) {
      const [found] = (await messages.listMessagesById({ messageIds: [id] })).messages
      return found ? mastraText(found) : null
    },
    page: async () => (await memory.recall({ threadId, resourceId, perPage: pageEntries })).messages.map(mastraText),
    async search(words) {
      return (await memory.recall({ threadId, resourceId, perPage: 0, vectorSearchString: words })).messages.map(
        mastraText,
      )
    },
    async delete(id) {
      await memory.deleteMessages([id])
      // The vector is deleted after the response; a deletion is complete when the vector is deleted too.
      await memory.settled()
    },
    async fill(contents) {
      const ids = contents.map(() => randomUUID())
      for (let at = 0; at < contents.length; at += batchEntries) {
        const batch = contents.slice(at, at + batchEntries)
        await memory.saveMessages({ messages: batch.map((text, i) => toMessage(ids[at + i] ?? '', text)) })
      }
      return ids
    },
    close: async () => {},
  }
}

export const mastra: Product = {
  name: 'Mastra memory',
  package: '@mastra/memory',
  durability: 'libSQL file, WAL: messages synchronous=NORMAL (a power cut may take the last ones), vectors FULL',
  open: ({ folder }) => open(folder),
}
