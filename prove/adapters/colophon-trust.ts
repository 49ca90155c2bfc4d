import type { SourceEvent } from '../product.ts'

/** What the properties about trust send to Colophon. */

/** Reads a note by its id, and writes its text as a note of its own. */
export const retelling = {
  id: 'retelling',
  name: 'Repeats a note',
  version: '1.0.0',
  nodes: [
    {
      id: 'read',
      typeId: 'colophon.memory.get',
      config: { memoryRef: '{{inputs.ref}}', id: '{{inputs.id}}', into: 'read' },
    },
    {
      id: 'write',
      typeId: 'colophon.memory.put',
      config: { memoryRef: '{{inputs.ref}}', content: '{{variables.read.content}}' },
    },
  ].map((node) => ({ name: node.id, position: { x: 0, y: 0 }, inputs: {}, ...node })),
  edges: [{ id: 'read-write', sourceNodeId: 'read', targetNodeId: 'write' }],
  triggers: [],
  variables: [],
  metadata: {},
  settings: {},
}

/** A statement of the calling key: it is observed when it arrives. */
export function withoutSource({ scope, text, claim }: SourceEvent, more: object = {}) {
  const message = { role: 'user', content: text, ...(claim === undefined ? {} : { claim_key: claim }) }
  return { external_user_id: scope.user, infer: false, messages: [message], ...more }
}
