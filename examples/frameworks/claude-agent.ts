// Transcripts of the Claude Agent SDK, kept by Colophon: sessionStore is an option of query().
import { getSessionMessages, listSessions, renameSession } from '@anthropic-ai/claude-agent-sdk'
import { createClient } from '../../src/client/index.ts'
import { createSessionStore } from '../../src/integrations/claude-agent.ts'

const { COLOPHON_URL = 'http://127.0.0.1:4242', COLOPHON_API_KEY } = process.env
const client = createClient({ url: COLOPHON_URL, key: COLOPHON_API_KEY })
const sessionStore = createSessionStore({ client, service: 'code-review' })

// What query() appends while an agent works. A batch that is sent again is stored once: an entry is known by its uuid.
const [sessionId, first, second] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
const dir = '/project'
const key = { projectKey: '-project', sessionId }
const line = { sessionId, cwd: dir, isSidechain: false, timestamp: new Date().toISOString() }
const transcript = [
  { ...line, type: 'user', uuid: first, parentUuid: null, message: { role: 'user', content: 'Review main.ts.' } },
  {
    ...line,
    type: 'assistant',
    uuid: second,
    parentUuid: first,
    message: { role: 'assistant', content: 'It is fine.' },
  },
]
await sessionStore.append(key, transcript)
await sessionStore.append(key, transcript)

console.log('Messages:', (await getSessionMessages(sessionId, { sessionStore, dir })).length)
await renameSession(sessionId, 'Review of main.ts', { sessionStore, dir })
console.log('Sessions:', (await listSessions({ sessionStore, dir })).map(({ summary }) => summary).join())

const ref = `claude-agent/-project/${sessionId}`
const { entries } = await client.memory.list(ref)
const { story } = await client.memory.colophon(ref, entries.at(-1)?.id ?? '')
console.log(story[0]?.text)

// Prints:
// Messages: 2
// Sessions: Review of main.ts
// code-review sent it in event …:…, observed ….
