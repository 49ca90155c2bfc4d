// The history of an OpenAI agent, kept by Colophon. The model is a stand-in, so nothing leaves this machine.
import { Agent, Runner, Usage } from '@openai/agents-core'
import { createClient } from '../../src/client/index.ts'
import { ColophonSession } from '../../src/integrations/openai-agents.ts'

const { COLOPHON_URL = 'http://127.0.0.1:4242', COLOPHON_API_KEY } = process.env
const client = createClient({ url: COLOPHON_URL, key: COLOPHON_API_KEY })
const session = new ColophonSession({ client, sessionId: 'ticket-17', service: 'support-bot' })

const standIn = {
  async getResponse({ input }: { input: unknown }) {
    const text = JSON.stringify(input).includes('Turin') ? 'You live in Turin.' : 'I do not know.'
    const content = [{ type: 'output_text', text }]
    return { usage: new Usage(), output: [{ type: 'message', role: 'assistant', status: 'completed', content }] }
  },
}
const runner = new Runner({ modelProvider: { getModel: () => standIn as never }, tracingDisabled: true })
const agent = new Agent({ name: 'Support', instructions: 'Help.' })

await runner.run(agent, 'I live in Turin.', { session })
const { finalOutput } = await runner.run(agent, 'Where do I live?', { session })
console.log('Answer:', finalOutput)

// A change with an operation id is stored once, however often it is sent.
const note = { type: 'message', role: 'user', content: 'Thank you.' }
const once = { operationId: 'op-1', transaction: { type: 'append_items', items: [note] } } as const
await Promise.all(
  [1, 2, 3].map(() =>
    session.applyHistoryTransaction({ ...once, transaction: { ...once.transaction, items: [note] } }),
  ),
)
console.log('Items:', (await session.getItems()).length)

const ref = 'openai-agents/ticket-17'
const [newest] = (await client.memory.list(ref, { limit: 1 })).entries
const { story } = await client.memory.colophon(ref, newest?.id ?? '')
console.log(story[0]?.text)

// Prints:
// Answer: You live in Turin.
// Items: 5
// support-bot sent it in event openai-agents/ticket-17:op-1, observed ….
