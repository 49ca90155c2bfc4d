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

type Moment = { readonly day: number; readonly hour: number }

type DemoRun = Moment & {
  readonly workflowId: string
  readonly inputs: Readonly<Record<string, unknown>>
  /** What a person does later: answers the approval, or replays and branches the run. */
  readonly later?: Moment & { readonly action: 'accept' | 'reject' | 'fork' }
}

/**
 * The runs and when they start. The handbook has two rules, so the run that quotes the third one fails; it does so early, so that its
 * webhook delivery is a dead letter by the end of the week. The last run waits for an approval.
 */
export const runs: readonly DemoRun[] = [
  { day: 2, hour: 7, workflowId: 'handbook-check', inputs: {} },
  {
    day: 2,
    hour: 16,
    workflowId: 'welcome-call',
    inputs: { person: 'ada' },
    later: { day: 6, hour: 18, action: 'fork' },
  },
  {
    day: 3,
    hour: 16,
    workflowId: 'refund',
    inputs: { person: 'rosa', amount: 120 },
    later: { day: 3, hour: 17.5, action: 'accept' },
  },
  { day: 4, hour: 9.5, workflowId: 'welcome-call', inputs: { person: 'grace' } },
  {
    day: 4,
    hour: 10.5,
    workflowId: 'refund',
    inputs: { person: 'quentin', amount: 2400 },
    later: { day: 5, hour: 8.5, action: 'reject' },
  },
  { day: 5, hour: 16, workflowId: 'welcome-call', inputs: { person: 'tomoko' } },
  { day: 6, hour: 19, workflowId: 'refund', inputs: { person: 'noor', amount: 860 } },
]
