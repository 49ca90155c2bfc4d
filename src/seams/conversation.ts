import type { HostNodeRequest, NodeType } from '../app/runs/node-type.ts'
import { conversationGate, converse } from '../nodes/conversation-gate.ts'

const answer = (operation: 'exchange' | 'close', content: string) => ({
  operation,
  turn: { content, from: 'conformance' },
})

/** The conversation gate, extended by answers that come without a client: `turnCount` exchanges, then the close. */
export const answeringGate: NodeType = {
  ...conversationGate,
  async execute(request: HostNodeRequest) {
    const { mockAutoResume, turnCount = 1 } = request.node.config
    if (mockAutoResume !== true) return converse(request)
    const turns = Array.from({ length: Number(turnCount) }, (_, index) => answer('exchange', `turn ${index + 1}`))
    return converse(request, [...turns, { ...answer('close', 'goodbye'), outcome: { isDone: true } }])
  },
}
