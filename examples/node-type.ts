// A server with a node type of its own: a program starts the server, registers a workflow and runs it.
import { createClient } from '../src/client/index.ts'
import { defineNodeType } from '../src/nodes/index.ts'
import { startServer } from '../src/server/index.ts'

const shout = defineNodeType({
  typeId: 'acme.shout',
  description: 'Sets a variable to a text in capitals.',
  config: {
    text: { description: 'the text', type: 'text', isRequired: true },
    into: { description: 'the variable', type: 'text', isRequired: true },
  },
  replay: 'computes',
  execute: async ({ config }) => ({
    kind: 'completed',
    variables: { [String(config.into)]: String(config.text).toUpperCase() },
  }),
})

const env = { COLOPHON_STORAGE: 'memory', COLOPHON_PORT: '0', COLOPHON_LOG_LEVEL: 'silent' }
await using server = await startServer({ nodeTypes: [shout], env })
const colophon = createClient({ url: server.url, key: server.firstKey ?? '' })

const node = (id: string, typeId: string, config: object) =>
  ({ id, name: id, typeId, config, inputs: {}, position: { x: 0, y: 0 } }) as const

const workflow = (config: object) => ({
  id: 'example-shout',
  name: 'Shout a name',
  version: '1',
  nodes: [
    node('shout', 'acme.shout', config),
    node('keep', 'colophon.memory.put', { memoryRef: 'examples/names', content: '{{variables.loud}}' }),
  ],
  edges: [{ id: 'shout-keep', sourceNodeId: 'shout', targetNodeId: 'keep' }],
  triggers: [],
  variables: [],
  metadata: {},
  settings: {},
})

const refused = await colophon.workflows.put(workflow({ txt: 'Ada' })).catch((error: Error) => error)
console.log('A config that was not declared:', refused instanceof Error ? refused.message : 'accepted')

await colophon.workflows.put(workflow({ text: '{{inputs.name}}', into: 'loud' }))
const { runId } = await colophon.runs.create({ workflowId: 'example-shout', inputs: { name: 'Ada' } })
const { status } = await colophon.runs.wait(runId)
const { entries } = await colophon.memory.list('examples/names')
console.log(`The run ${status} and stored:`, entries[0]?.content)

// Prints:
// A config that was not declared: nodes[0].config has a key that is not known; known are text, into.
// The run completed and stored: ADA
