// Threads and messages of Mastra, kept by Colophon: the memory domain of a composite store.
import { MastraCompositeStore, MemoryStorage } from '@mastra/core/storage'
import { createClient } from '../../src/client/index.ts'
import { createMemoryStorage } from '../../src/integrations/mastra.ts'

const { COLOPHON_URL = 'http://127.0.0.1:4242', COLOPHON_API_KEY } = process.env
const client = createClient({ url: COLOPHON_URL, key: COLOPHON_API_KEY })
const memory = createMemoryStorage<MemoryStorage>(MemoryStorage, { client, service: 'support-bot' })
const storage = new MastraCompositeStore({ id: 'colophon', domains: { memory } }) // new Memory({ storage })

const store = await storage.getStore('memory')
const now = new Date()
await store?.saveThread({ thread: { id: 'ticket-17', resourceId: 'ada', createdAt: now, updatedAt: now } })
const content = { format: 2 as const, parts: [{ type: 'text' as const, text: 'Where is my order?' }] }
const message = { id: 'm-1', threadId: 'ticket-17', resourceId: 'ada', role: 'user' as const, createdAt: now, content }
// A message that is saved again is stored once.
await store?.saveMessages({ messages: [message] })
await store?.saveMessages({ messages: [message] })
console.log('Messages:', (await store?.listMessages({ threadId: 'ticket-17' }))?.total)
await store?.updateThread({ id: 'ticket-17', title: 'Missing order', metadata: {} })
console.log('Thread:', (await store?.getThreadById({ threadId: 'ticket-17' }))?.title)

const [thread] = (await client.memory.list('mastra', { tag: 'thread:ticket-17' })).entries
const { version, story } = await client.memory.colophon('mastra', thread?.id ?? '')
console.log('Version:', version, 'by', story[0]?.text.split(' ')[0])

// Prints:
// Messages: 1
// Thread: Missing order
// Version: 2 by support-bot
