// The memory of a Strands agent, kept by Colophon. The model is a stand-in, so nothing leaves this machine.
import { Agent, InvocationTrigger, type Message, Model, type ModelStreamEvent } from '@strands-agents/sdk'
import { createClient } from '../../src/client/index.ts'
import { createMemoryStore } from '../../src/integrations/strands.ts'

const { COLOPHON_URL = 'http://127.0.0.1:4242', COLOPHON_API_KEY } = process.env
let failures = 1
const client = createClient({
  url: COLOPHON_URL,
  key: COLOPHON_API_KEY,
  retry: { retries: 0 },
  // The answer to the first write is lost: the framework sends the messages again.
  async fetch(...call) {
    const answer = await fetch(...call)
    if (String(call[0]).endsWith(':batch') && answer.ok && failures-- > 0) throw new TypeError('lost')
    return answer
  },
})

class StandIn extends Model {
  updateConfig(): void {}
  getConfig() {
    return { modelId: 'stand-in' }
  }
  async *stream(messages: Message[]): AsyncIterable<ModelStreamEvent> {
    const text = JSON.stringify(messages).includes('Turin') ? 'You live in Turin.' : 'I do not know.'
    yield { type: 'modelMessageStartEvent', role: 'assistant' }
    yield { type: 'modelContentBlockStartEvent' }
    yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text } }
    yield { type: 'modelContentBlockStopEvent' }
    yield { type: 'modelMessageStopEvent', stopReason: 'endTurn' }
  }
}

async function ask(question: string): Promise<string> {
  const extraction = { trigger: new InvocationTrigger() }
  const store = createMemoryStore({ client, subject: 'ada', service: 'support-bot', extraction })
  const agent = new Agent({ model: new StandIn(), memoryManager: { stores: [store] }, printer: false })
  const answer = await agent.invoke(question)
  await agent.memoryManager?.flush()
  await agent.memoryManager?.flush()
  return answer.toString()
}
await ask('My home is in Turin.')
console.log('Answer:', await ask('Where is my home?'))

const { entries } = await client.memory.list('strands/ada')
console.log('Stored:', entries.length)
const { story } = await client.memory.colophon('strands/ada', entries[0]?.id ?? '')
console.log(story[0]?.text)

// Prints:
// Answer: You live in Turin.
// Stored: 4
// support-bot sent it in event strands/ada:…, observed ….
