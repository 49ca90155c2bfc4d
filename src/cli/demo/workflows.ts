type Node = { readonly id: string; readonly name: string; readonly typeId: string; readonly config: object }

/** A workflow of nodes that are executed one after the other. */
function chain(id: string, name: string, nodes: readonly Node[]) {
  return {
    id,
    name,
    version: '1',
    nodes: nodes.map((node, x) => ({ ...node, position: { x, y: 0 }, inputs: {} })),
    edges: nodes.slice(1).map((node, index) => ({
      id: `e${index + 1}`,
      sourceNodeId: nodes[index]?.id ?? '',
      targetNodeId: node.id,
    })),
    triggers: [],
    variables: [],
    metadata: {},
    settings: {},
  }
}

const recall = {
  id: 'recall',
  name: 'What do we know?',
  typeId: 'colophon.memory.list',
  config: { memoryRef: 'subject:{{inputs.person}}', limit: 5, into: 'known' },
}

export const workflows = [
  chain('welcome-call', 'Prepare a welcome call', [
    recall,
    {
      id: 'note',
      name: 'Note what to say',
      typeId: 'colophon.memory.put',
      config: {
        memoryRef: 'agents/concierge',
        content: 'Call {{inputs.person}}. Say first: {{variables.known.0.content}}',
        tags: ['call'],
      },
    },
  ]),
  chain('refund', 'Refund with an approval', [
    recall,
    {
      id: 'approve',
      name: 'May we pay {{inputs.amount}}?',
      typeId: 'core.approvalGate',
      config: { title: 'Refund {{inputs.amount}} euros to {{inputs.person}}', actions: ['accept', 'reject'] },
    },
    {
      id: 'record',
      name: 'Write it down',
      typeId: 'colophon.memory.put',
      config: {
        memoryRef: 'subject:{{inputs.person}}',
        content: 'Was refunded {{inputs.amount}} euros.',
        tags: ['refund'],
      },
    },
  ]),
  chain('handbook-check', 'Read the handbook aloud', [
    {
      id: 'read',
      name: 'What are the rules?',
      typeId: 'colophon.memory.list',
      config: { memoryRef: 'team/handbook', tag: 'policy', into: 'rules' },
    },
    {
      id: 'quote',
      name: 'Quote the third rule',
      typeId: 'colophon.memory.put',
      config: { memoryRef: 'team/digest', content: 'Third rule: {{variables.rules.2.content}}', tags: ['digest'] },
    },
  ]),
] as const

/** The runs, and the outcome of each. The handbook has two rules, so the run that quotes the third one fails. */
export const runs = [
  { workflowId: 'welcome-call', inputs: { person: 'ada' }, outcome: 'replay' },
  { workflowId: 'welcome-call', inputs: { person: 'grace' }, outcome: 'nothing' },
  { workflowId: 'welcome-call', inputs: { person: 'tomoko' }, outcome: 'nothing' },
  { workflowId: 'refund', inputs: { person: 'rosa', amount: 120 }, outcome: 'accept' },
  { workflowId: 'refund', inputs: { person: 'quentin', amount: 2400 }, outcome: 'reject' },
  { workflowId: 'refund', inputs: { person: 'noor', amount: 860 }, outcome: 'wait' },
  { workflowId: 'handbook-check', inputs: {}, outcome: 'nothing' },
] as const
