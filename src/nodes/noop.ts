import type { NodeType } from '../app/runs/node-type.ts'

/** Does nothing, and completes. */
export const noop: NodeType = {
  typeId: 'core.noop',
  replay: 'computes',
  acceptsErased: true,
  execute: async () => ({ kind: 'completed' }),
}
