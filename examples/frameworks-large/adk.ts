// The memory of an agent of Google's Agent Development Kit, kept by Colophon. The model is a stand-in, so nothing leaves this machine.
import { BaseLlm, InMemorySessionService, LlmAgent, type LlmRequest, PRELOAD_MEMORY, Runner } from '@google/adk'
import { createClient } from '../../src/client/index.ts'
import { createMemoryService } from '../../src/integrations/adk.ts'

const { COLOPHON_URL = 'http://127.0.0.1:4242', COLOPHON_API_KEY } = process.env
const client = createClient({ url: COLOPHON_URL, key: COLOPHON_API_KEY })
const memoryService = createMemoryService({ client, service: 'support-bot' })

class StandIn extends BaseLlm {
  async *generateContentAsync(request: LlmRequest) {
    const text = JSON.stringify(request).includes('Turin') ? 'You live in Turin.' : 'I do not know.'
    yield { content: { role: 'model', parts: [{ text }] } }
  }
  connect(): Promise<never> {
    throw new Error('The stand-in has no live connection.')
  }
}
const agent = new LlmAgent({ name: 'support', model: new StandIn({ model: 'stand-in' }), tools: [PRELOAD_MEMORY] })
const sessionService = new InMemorySessionService()
const appName = 'shop'
const userId = 'ada'
const runner = new Runner({ appName, agent, sessionService, memoryService })

async function ask(sessionId: string, text: string): Promise<string | undefined> {
  await sessionService.createSession({ appName, userId, sessionId })
  let answer: string | undefined
  const newMessage = { role: 'user', parts: [{ text }] }
  for await (const { content } of runner.runAsync({ userId, sessionId, newMessage })) answer = content?.parts?.[0]?.text
  return answer
}
await ask('monday', 'My home is in Turin.')
const session = await sessionService.getSession({ appName, userId, sessionId: 'monday' })
// A session may be added any number of times: each event is stored once.
if (session) await Promise.all([1, 2, 3].map(() => memoryService.addSessionToMemory(session)))
console.log('Answer:', await ask('tuesday', 'Where is my home?'))

const ref = 'adk/shop/ada'
const { entries } = await client.memory.list(ref)
console.log('Stored:', entries.length)
const { story } = await client.memory.colophon(ref, entries[0]?.id ?? '')
console.log(story[0]?.text)

// Prints:
// Answer: You live in Turin.
// Stored: 2
// support-bot sent it in event adk/shop/ada:…, observed ….
