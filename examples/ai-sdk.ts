// A model that recalls before it answers and remembers afterwards. The model is a stand-in, so nothing leaves this machine.
import { generateText, wrapLanguageModel } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { createClient } from '../src/client/index.ts'
import { memoryMiddleware } from '../src/integrations/ai-sdk.ts'

const { COLOPHON_URL = 'http://127.0.0.1:4242', COLOPHON_API_KEY } = process.env
const client = createClient({ url: COLOPHON_URL, key: COLOPHON_API_KEY })
const subject = 'example-traveller'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const standIn = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const known = prompt.flatMap((message) => (message.role === 'system' ? [message.content] : []))
    const text = /Turin/.test(known.join()) ? 'In Turin.' : 'Noted.'
    return { content: [{ type: 'text', text }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] }
  },
})
const model = wrapLanguageModel({ model: standIn, middleware: memoryMiddleware({ client, subject }) })

async function ask(prompt: string): Promise<void> {
  const { text } = await generateText({ model, prompt })
  console.log(`> ${prompt}\n${text}`)
}
await ask('I live in Turin.')

// The messages are sent at once; memories are extracted from them a moment later.
let known = await client.memories.list({ external_user_id: subject })
while (known.data.length === 0) known = await client.memories.list({ external_user_id: subject })
console.log('Known now:', known.data[0]?.content)

await ask('Where do I live, Turin or Oslo?')

// Prints:
// > I live in Turin.
// Noted.
// Known now: Lives in Turin
// > Where do I live, Turin or Oslo?
// In Turin.
