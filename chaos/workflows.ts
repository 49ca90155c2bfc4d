import { chain, gate, put } from '../test/server/runs-calls.ts'

/** The workflows of the load. Each writes a text that contains the name of its run, so that every entry is attributable. */

export const service = 'chaos'
export const scheduleId = 'chaos-pass'
export const runRef = 'runs-of-the-load'

const write = (id: string) => put(id, `${id} of {{inputs.name}}`, runRef)
const rest = (id: string) => ({ id, typeId: 'core.delay', config: { delayMs: 20 } })
const look = (id: string) => ({
  id,
  typeId: 'colophon.memory.list',
  config: { memoryRef: runRef, into: id, limit: 50 },
})

const longSteps = Array.from({ length: 40 }, (_, step) => `step-${step}`)
/** A read after each write must see it stored, so every step is a separate commit. */
const longStep = (id: string) => {
  const node = write(id)
  return { ...node, config: { ...node.config, into: 'last' } }
}

/** A supervisor that sends a note as its worker, and ends in its second turn. */
const lead = {
  id: 'lead',
  typeId: 'core.orchestrator.supervisor',
  config: {
    rules: [
      {
        when: [{ type: 'equals', left: 'output.turn', right: 1 }],
        decide: { kind: 'next-worker', nextWorkerIds: ['note'] },
      },
      { decide: { kind: 'terminate' } },
    ],
  },
}
const send = { id: 'send', typeId: 'core.dispatch', config: { inputMapping: { name: 'name' } } }
const leads = chain('leads', [lead, send], { variables: [{ name: 'name', type: 'string' }] })
const back = { id: 'back', sourceNodeId: 'send', targetNodeId: 'lead' }

/** An agent without a model: it remembers what its task says. */
export const agent = {
  agentId: 'local.chaos.scribe',
  persona: 'Scribe',
  modelClass: 'general',
  systemPrompt: 'Remember.',
  toolAllowlist: ['memory:remember'],
}
const asksAgent = {
  id: 'agent',
  typeId: 'colophon.agent.run',
  agent: { agentId: agent.agentId, memoryRef: runRef },
  config: { task: 'Remember agent of {{inputs.name}}' },
}

export const workflows = [
  chain('note', [write('first'), rest('rest'), look('seen'), write('second')]),
  chain('asks', [write('before'), gate('gate'), write('after'), look('seen')]),
  chain('long', longSteps.map(longStep)),
  chain('fails', [write('before'), { id: 'fail', typeId: 'core.fail' }]),
  chain('agent', [asksAgent]),
  { ...leads, edges: [...leads.edges, back] },
]

/** Nodes that are executed once in each turn of their loop. */
export const loopNodes: readonly string[] = ['lead', 'send']

/** The nodes of a workflow that write, in their order. */
export const writersOf: Readonly<Record<string, readonly string[]>> = {
  note: ['first', 'second'],
  asks: ['before', 'after'],
  long: longSteps,
  fails: ['before'],
  agent: ['agent'],
  // Written by its worker.
  leads: ['first', 'second'],
}

export const hookedEvents = ['run.started', 'memory.written', 'run.completed']

/** The receiver accepts requests here and never answers. */
export const poisonPath = '/never'
