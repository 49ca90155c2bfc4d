import type { NodeType } from '../app/runs/node-type.ts'

/** Fails, with the code and message of its config as they stand there: events tell them, so nothing is filled in. */
export const fail: NodeType = {
  typeId: 'core.fail',
  replay: 'fails',
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
}
