import { defineNodeType } from './define-node-type.ts'

export const identity = defineNodeType({
  typeId: 'core.identity',
  description: 'Returns its inputs as outputs, and as variables of the same names.',
  config: {},
  hasLenientConfig: true,
  replay: 'computes',
  acceptsErased: true,
  execute: async ({ inputs }) => ({ kind: 'completed', outputs: inputs, variables: inputs }),
})
