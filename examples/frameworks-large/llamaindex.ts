// The long-term memory of LlamaIndex, kept by Colophon. There is no model, so nothing leaves this machine.
import { createMemory, loadMemory } from '@llamaindex/core/memory'
import { createClient } from '../../src/client/index.ts'
import { createMemoryBlock } from '../../src/integrations/llamaindex.ts'

const { COLOPHON_URL = 'http://127.0.0.1:4242', COLOPHON_API_KEY } = process.env
const client = createClient({ url: COLOPHON_URL, key: COLOPHON_API_KEY })
const block = createMemoryBlock({ client, subject: 'ada', sessionId: 'ticket-17', service: 'support-bot' })

// So few tokens that messages go to the long-term memory soon.
const options = { tokenLimit: 200, shortTermTokenLimitRatio: 0.1, memoryBlocks: [block] }
const memory = createMemory(options)
const texts = ['I live in Turin, near the river.', 'My order 4711 has not arrived yet.', 'It was sent three weeks ago.']
for (const content of texts) await memory.add({ role: 'user', content })
await memory.manageMemoryBlocks()

// A process that was killed starts from its last snapshot and processes the same messages again: they are stored once.
const before = JSON.parse(memory.snapshot()) as object
const restored = loadMemory(JSON.stringify({ ...before, memoryCursor: 0 }), options)
await restored.manageMemoryBlocks()

const ref = 'llamaindex/ada'
const { entries } = await client.memory.list(ref)
console.log('Stored:', entries.length)

const question = { role: 'user' as const, content: 'Where do I live?' }
const [memories] = await createMemory(options).getLLM(undefined, [question])
console.log('Role:', memories?.role, String(memories?.content).includes('Turin'))

const { story } = await client.memory.colophon(ref, entries[0]?.id ?? '')
console.log(story[0]?.text)

// Prints:
// Stored: 3
// Role: memory true
// support-bot sent it in event llamaindex/ada:…, observed ….
