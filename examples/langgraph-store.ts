// Colophon as the long-term store of a LangGraph graph: compile({ store }).
import { createClient } from '../src/client/index.ts'
import { ColophonStore } from '../src/integrations/langgraph.ts'

const { COLOPHON_URL = 'http://127.0.0.1:4242', COLOPHON_API_KEY } = process.env
const client = createClient({ url: COLOPHON_URL, key: COLOPHON_API_KEY })
const store = new ColophonStore({ client, ref: 'examples/langgraph' })

// One commit: all of a batch is stored, or nothing.
await store.batch([
  { namespace: ['users', 'user-1'], key: 'drink', value: { likes: 'tea' } },
  { namespace: ['users', 'user-10'], key: 'drink', value: { likes: 'coffee' } },
])
await store.put(['users', 'user-1'], 'drink', { likes: 'green tea' })

// A prefix is made of whole names: user-1 is not the beginning of user-10.
for (const { namespace, key, value } of await store.search(['users', 'user-1']))
  console.log(`${namespace.join('/')}/${key}:`, value.likes)
// A replaced value is no longer listed, and can still be read at its earlier position.
const { position } = await client.memory.list('examples/langgraph')
const before = await client.memory.list('examples/langgraph', { asOf: position - 1 })
console.log('Before:', before.entries.some(({ content }) => content.includes('"tea"')) ? 'tea' : 'nothing')

// Prints:
// users/user-1/drink: green tea
// Before: tea
