// Claude's memory tool with its files in Colophon. The model is a stand-in, so nothing leaves this machine.
import Anthropic from '@anthropic-ai/sdk'
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory'
import { createClient } from '../../src/client/index.ts'
import { memoryToolHandlers } from '../../src/integrations/anthropic.ts'

const { COLOPHON_URL = 'http://127.0.0.1:4242', COLOPHON_API_KEY } = process.env
const client = createClient({ url: COLOPHON_URL, key: COLOPHON_API_KEY })
const memory = betaMemoryTool(memoryToolHandlers({ client, service: 'support-bot' }))

const path = '/memories/ada.md'
const commands = [
  { command: 'create', path, file_text: 'Ada drinks coffee.' },
  { command: 'str_replace', path, old_str: 'coffee', new_str: 'tea' },
  { command: 'view', path },
]
let results: unknown
async function standIn(_url: unknown, { body }: { body?: unknown } = {}): Promise<Response> {
  results = JSON.parse(String(body)).messages.at(-1).content
  const input = commands.shift()
  const call = { type: 'tool_use', id: `toolu_${commands.length}`, name: 'memory', input }
  const content = input ? [call] : [{ type: 'text', text: 'Done.' }]
  const message = { id: 'msg', type: 'message', role: 'assistant', model: 'fake', content, stop_sequence: null }
  const usage = { input_tokens: 1, output_tokens: 1 }
  return Response.json({ ...message, stop_reason: input ? 'tool_use' : 'end_turn', usage })
}
const anthropic = new Anthropic({ apiKey: 'none', fetch: standIn as typeof fetch })
const messages = [{ role: 'user' as const, content: 'Ada prefers tea.' }]
await anthropic.beta.messages.toolRunner({ model: 'fake', max_tokens: 100, messages, tools: [memory] })
console.log(JSON.stringify(results).includes('Ada drinks tea.') ? 'The file says tea.' : results)

// The edit is a version of the file: the text before it stays readable, and each has its source.
const [file] = (await client.memory.list('anthropic')).entries
const { version, story } = await client.memory.colophon('anthropic', file?.id ?? '')
const writers = story.filter(({ step }) => step === 'told').map(({ text }) => text.split(' ')[0])
console.log('Version:', version, 'by', writers.join(', '))

// Prints:
// The file says tea.
// Version: 2 by support-bot, support-bot
