import type { HostNodeRequest } from '../app/runs/node-type.ts'
import { invalid } from '../core/errors.ts'
import { conversationChannel, type MessageRole, messageRoles } from '../core/run/channel.ts'
import { defineNodeType } from './define-node-type.ts'
import { textOf } from './memory-config.ts'

export const messageAdd = defineNodeType({
  typeId: 'colophon.message.add',
  description: 'Adds a message to the conversation of the run.',
  config: {
    content: { description: 'the message', type: 'text', isRequired: true },
    role: {
      description: 'user, agent or system; by default agent for a node with an agent, else system',
      type: 'text',
    },
    messageId: { description: 'the id of the message: a second one with the same id is not added', type: 'text' },
  },
  replay: 'effects',
  checkConfig({ role }, field) {
    if (role !== undefined && !isRole(role)) throw invalid(`${field}.role`, `must be one of ${messageRoles.join(', ')}`)
  },
  async execute(request: HostNodeRequest) {
    const { node, config, now, turn } = request
    const agentId = node.agent?.agentId
    const role = isRole(config.role) ? config.role : agentId === undefined ? 'system' : 'agent'
    const from = agentId ?? 'host'
    const messageId = config.messageId === undefined ? `${node.id}.${turn}` : textOf(request, 'messageId')
    const speaker = role === 'agent' ? { speakerId: from } : {}
    const message = { messageId, from, role, ts: now, turnIndex: 0, ...speaker, content: textOf(request, 'content') }
    return { kind: 'completed', outputs: { messageId }, messages: [{ channel: conversationChannel, message }] }
  },
})

function isRole(role: unknown): role is MessageRole {
  return (messageRoles as readonly unknown[]).includes(role)
}
