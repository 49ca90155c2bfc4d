import { messagesOf, writeMessage } from '../../core/run/channel.ts'
import {
  addTurn,
  type ConversationAnswer,
  closeConversation,
  isConversation,
  timeoutTurn,
  toConversationResult,
} from '../../core/run/conversation.ts'
import type { Interrupt } from '../../core/run/interrupt.ts'
import type { RunProgress } from '../../core/run/run-progress.ts'
import type { NodeResult } from './node-type.ts'

/** Adds a turn to a conversation. The last turn resolves the interrupt: true. The answer was checked. */
export function answerConversation(
  progress: RunProgress,
  nodeId: string,
  { value, by }: { readonly value: unknown; readonly by: string | null },
  now: number,
): boolean {
  const interrupt = progress.text.interrupts[nodeId] as Interrupt
  const { request, interruptId } = interrupt
  const { operation, turn, outcome = null } = value as ConversationAnswer
  if (operation === 'exchange') {
    addTurn(progress, nodeId, request, { ...turn, by }, now)
    return false
  }
  const resolvedBy = by === null ? {} : { resolvedBy: by }
  progress.emit('interrupt.resolved', {
    nodeId,
    facts: { nodeId, interruptId, kind: 'conversation.close', ...resolvedBy },
  })
  closeConversation(progress, nodeId, request, { ...turn, by }, now)
  const resolution = { value: toConversationResult(progress, request, outcome), by }
  progress.set({ text: { interrupts: { ...progress.text.interrupts, [nodeId]: { ...interrupt, resolution } } } })
  progress.emit('node.resumed', { nodeId, facts: { nodeId, interruptId } })
  if (progress.status !== 'paused') progress.set({ status: 'running' })
  return true
}

/** Closes a conversation that no client has closed in time, without an outcome. */
export function closeIfTimedOut(progress: RunProgress, nodeId: string, now: number): void {
  const interrupt = progress.text.interrupts[nodeId]
  if (!interrupt || interrupt.resolution !== null || !isConversation(interrupt.request.kind)) return
  if (progress.facts.fork?.mode === 'replay' || interrupt.deadline === null || interrupt.deadline > now) return
  closeConversation(progress, nodeId, interrupt.request, timeoutTurn, now)
  const resolution = { value: toConversationResult(progress, interrupt.request, null), by: null }
  progress.set({ text: { interrupts: { ...progress.text.interrupts, [nodeId]: { ...interrupt, resolution } } } })
}

/** Writes what a node leaves in the channels of its run. */
export function writeMessages(
  progress: RunProgress,
  nodeId: string,
  { messages = [] }: Extract<NodeResult, { kind: 'completed' }>,
): void {
  for (const { channel, message } of messages) {
    const turnIndex = messagesOf(progress.text, channel).length
    writeMessage(progress, nodeId, channel, { ...message, turnIndex })
  }
}
