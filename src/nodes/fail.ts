import { defineNodeType } from './define-node-type.ts'

export const fail = defineNodeType({
  typeId: 'core.fail',
  description: 'Fails with the code and message of its config.',
  config: {
    code: { description: 'the error code; node_failed by default' },
    message: { description: 'the error message' },
  },
  hasLenientConfig: true,
  replay: 'fails',
  // Events show both, so templates are not replaced: their values may hold memory.
  rawConfig: ['code', 'message'],
  acceptsErased: true,
  async execute({ config }) {
    const { code, message } = config
    return {
      kind: 'failed',
      error: {
        code: typeof code === 'string' && code !== '' ? code : 'node_failed',
        message: typeof message === 'string' && message !== '' ? message : 'The node was made to fail.',
      },
    }
  },
})
