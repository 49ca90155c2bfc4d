// The checkpoints of a LangGraph graph: compile({ checkpointer }). Here they are stored as a graph stores them.
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint'
import { createClient } from '../../src/client/index.ts'
import { ColophonCheckpointer } from '../../src/integrations/langgraph.ts'

const { COLOPHON_URL = 'http://127.0.0.1:4242', COLOPHON_API_KEY } = process.env
const client = createClient({ url: COLOPHON_URL, key: COLOPHON_API_KEY })
const checkpointer = new ColophonCheckpointer({ client, service: 'planner' })

const thread = { configurable: { thread_id: 'trip-1', checkpoint_ns: '' } }
const checkpoint = { ...emptyCheckpoint(), channel_values: { city: 'Turin' }, channel_versions: { city: 1 } }
const stored = await checkpointer.put(thread, checkpoint, { source: 'loop', step: 0, parents: {} }, { city: 1 })
await checkpointer.putWrites(stored, [['city', 'Oslo']], 'task-1')

const tuple = await checkpointer.getTuple(thread)
console.log('State:', tuple?.checkpoint.channel_values)
console.log('Pending:', tuple?.pendingWrites?.map(([, channel, value]) => `${channel} = ${value}`).join())

const { entries } = await client.memory.list('langgraph-threads/trip-1')
const { story } = await client.memory.colophon('langgraph-threads/trip-1', entries.at(-1)?.id ?? '')
console.log(story[0]?.text)

// Prints:
// State: { city: 'Turin' }
// Pending: city = Oslo
// planner sent it in event langgraph-threads/trip-1:checkpoint::…, observed ….
