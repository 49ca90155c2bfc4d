import type { NodeType } from '../app/runs/node-type.ts'

/** Gives its inputs on as outputs, and as variables where variables of those names are used. */
export const identity: NodeType = {
  typeId: 'core.identity',
  replay: 'computes',
  acceptsErased: true,
  execute: async ({ inputs }) => ({ kind: 'completed', outputs: inputs, variables: inputs }),
}
