// A run reads its snapshot while others go on writing; its replay sees the same and writes nothing.
import { createClient } from '../src/client/index.ts'

const { COLOPHON_URL = 'http://127.0.0.1:4242', COLOPHON_API_KEY } = process.env
const colophon = createClient({ url: COLOPHON_URL, key: COLOPHON_API_KEY })
const ref = 'examples/launch'

const node = (id: string, typeId: string, config: object) =>
  ({ id, name: id, typeId, config, inputs: {}, position: { x: 0, y: 0 } }) as const
const edge = (from: string, to: string) => ({ id: `${from}-${to}`, sourceNodeId: from, targetNodeId: to })

await colophon.workflows.put({
  id: 'example-invite',
  name: 'Invite to the launch',
  version: '1',
  nodes: [
    node('wait', 'core.approvalGate', { prompt: 'Begin?' }),
    node('recall', 'colophon.memory.list', { memoryRef: ref, into: 'known' }),
    node('invite', 'colophon.memory.put', { memoryRef: ref, content: 'Invitations are out.' }),
  ],
  edges: [edge('wait', 'recall'), edge('recall', 'invite')],
  triggers: [],
  variables: [],
  metadata: {},
  settings: {},
})
const { id: date } = await colophon.memory.put(ref, { content: 'The launch is in May.' })
const { runId } = await colophon.runs.create({ workflowId: 'example-invite' })
for await (const event of colophon.runs.watch(runId)) if (event.type === 'interrupt.requested') break

// The run waits for its approval and has read nothing yet. Meanwhile another writer moves the launch.
await colophon.memory.delete(ref, date)
await colophon.memory.put(ref, { content: 'The launch is in September.' })
await colophon.interrupts.answer(runId, 'wait', { action: 'accept' })
const { status } = await colophon.runs.wait(runId)

const { snapshot, reads } = await colophon.runs.reads(runId)
const seen = await colophon.memory.list(ref, { asOf: snapshot.position })
console.log(`The run ${status}. It saw:`, seen.entries.map(({ content }) => content).join(' '))
console.log('By its own record:', reads[0]?.entryIds.includes(date))

const replay = await colophon.runs.fork(runId, { mode: 'replay', fromSeq: 0 })
await colophon.runs.wait(replay.runId)
const { divergedAtSeq } = await colophon.runs.diff(runId, replay.runId)
console.log('The replay', divergedAtSeq === null ? 'did the same' : `differs from event ${divergedAtSeq} on`)

const now = await colophon.memory.list(ref)
console.log('Now there is:', now.entries.map(({ content }) => content).join(' '))

// Prints:
// The run completed. It saw: The launch is in May.
// By its own record: true
// The replay did the same
// Now there is: Invitations are out. The launch is in September.
