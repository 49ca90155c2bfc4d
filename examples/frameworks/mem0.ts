// The client of mem0, unchanged, on Colophon: only its host and its key are others.
import { createClient } from '../../src/client/index.ts'

const { COLOPHON_URL = 'http://127.0.0.1:4242', COLOPHON_API_KEY = '' } = process.env
// The client reads it when it is loaded: without it, it reports its calls to its makers.
process.env.MEM0_TELEMETRY = 'false'
const { MemoryClient } = await import('mem0ai')

const mem0 = new MemoryClient({ apiKey: COLOPHON_API_KEY, host: `${COLOPHON_URL}/mem0` })
const said = { role: 'user' as const, content: 'I prefer green tea.' }
await mem0.add([said], { userId: 'ada', runId: 'chat-17', metadata: { room: 4 } })

// Memories are extracted in the background, as in mem0 itself.
const filters = { user_id: 'ada' }
let [memory] = (await mem0.getAll({ filters })).results
for (let tries = 0; memory === undefined && tries < 200; tries++) {
  await new Promise((resolve) => setTimeout(resolve, 50))
  memory = (await mem0.getAll({ filters })).results[0]
}
const { results } = await mem0.search('what tea?', { filters })
console.log('Found:', results[0]?.memory, results[0]?.metadata)

const colophon = createClient({ url: COLOPHON_URL, key: COLOPHON_API_KEY })
const { provenance } = await colophon.memories.get(memory?.id ?? '')
console.log('From:', provenance?.service, provenance?.scope)

const [first] = await mem0.history(memory?.id ?? '')
console.log('History:', first?.event, first?.newMemory)

// Prints:
// Found: Prefers green tea { room: 4 }
// From: mem0 { session_id: 'chat-17' }
// History: ADD Prefers green tea
