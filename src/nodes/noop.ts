import { defineNodeType } from './define-node-type.ts'

export const noop = defineNodeType({
  typeId: 'core.noop',
  description: 'Does nothing and completes.',
  config: {},
  hasLenientConfig: true,
  replay: 'computes',
  acceptsErased: true,
  execute: async () => ({ kind: 'completed' }),
})
