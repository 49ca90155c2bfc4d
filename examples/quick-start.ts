// Stores, lists, searches, and shows the provenance of an entry, through a server. See examples/README.md for how to run it.
import { createClient } from '../src/client/index.ts'

const { COLOPHON_URL = 'http://127.0.0.1:4242', COLOPHON_API_KEY } = process.env
const colophon = createClient({ url: COLOPHON_URL, key: COLOPHON_API_KEY })
const ref = 'examples/quick-start'

const tea = await colophon.memory.put(ref, { content: 'Ada prefers tea.', tags: ['preference'] })
await colophon.memory.put(ref, { content: 'Ada lives in Lisbon.', tags: ['home'] })

for await (const { content, tags } of colophon.memory.each(ref)) console.log(`${content} (${tags.join(', ')})`)

const { results } = await colophon.memory.search(ref, 'what does she like to drink?')
console.log('Best answer:', results[0]?.entry.content)
// Its colophon: every step of its history, and the audit record that proves it.
const { story, audit } = await colophon.memory.colophon(ref, tea.id)
for (const { text } of story) console.log(text)
console.log(`Audit record ${audit?.position} by ${audit?.actor}, ${audit?.hash.slice(0, 6)}`)

// Prints:
// Ada lives in Lisbon. (home, source:api)
// Ada prefers tea. (preference, source:api)
// Best answer: Ada prefers tea.
// Version 1 was recorded at position … by …
// Audit record … by …, …
