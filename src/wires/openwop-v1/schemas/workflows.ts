import { z } from 'zod'

export const WorkflowDocument = z.record(z.string(), z.unknown()).meta({
  id: 'WorkflowDefinition',
  description: 'A workflow: `id`, `name`, `version`, `nodes` and `edges`, with `variables`, `triggers` and `settings`.',
  examples: [
    {
      id: 'visit',
      name: 'Welcome a visitor',
      version: '1',
      nodes: [
        {
          id: 'recall',
          name: 'What do we know?',
          typeId: 'colophon.memory.list',
          position: { x: 0, y: 0 },
          config: { memoryRef: 'people/{{inputs.person}}', limit: 5, into: 'known' },
          inputs: {},
        },
      ],
      edges: [],
      triggers: [],
      variables: [],
      metadata: {},
      settings: {},
    },
  ],
})
