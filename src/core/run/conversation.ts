import { checkIdentifier } from '../check.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { checkConfigurable } from '../workflow/configurable.ts'
import { isJsonObject, type JsonObject } from '../workflow/json-values.ts'
import { conversationChannel, type Message, messageRoles, messagesOf, withoutContent, writeMessage } from './channel.ts'
import type { InterruptKind, InterruptRequest } from './interrupt.ts'
import { turnOf } from './orchestration.ts'
import type { RunProgress } from './run-progress.ts'

/** A conversation is one interrupt that many turns belong to. The turns are messages in the channel of the run; only the last one resolves it. */

export function isConversation(kind: InterruptKind): boolean {
  return kind.startsWith('conversation.')
}

/** What a client sends: one more turn, or the last one with the outcome. */
export type ConversationAnswer = {
  readonly operation: 'exchange' | 'close'
  /** Who speaks is said by the host alone: a client cannot speak for an agent, the host or another client. */
  readonly turn: Pick<Message, 'content'> & Partial<Pick<Message, 'messageId' | 'from' | 'role'>>
  readonly outcome?: unknown
}

/** Checks a turn of a client. The outcome of the last one must fit the schema of the conversation. */
export function checkConversationAnswer({ data, resumeSchema }: InterruptRequest, value: unknown): ConversationAnswer {
  if (!isJsonObject(value)) throw invalid('resumeValue', 'must be an object with operation and turn')
  const { operation, turn, outcome = null } = value
  if (operation !== 'exchange' && operation !== 'close')
    throw invalid('resumeValue.operation', 'must be exchange or close')
  checkTurn(turn)
  if (data.conversationId === null) throw invalid('resumeValue.operation', 'must belong to a conversation that is kept')
  if (operation === 'exchange') return { operation, turn }
  if (resumeSchema !== undefined) checkConfigurable(resumeSchema, outcome)
  return { operation, turn, outcome }
}

/** The answer of a client as a turn of the credential that it came with. Its message ids are its own: they cannot be those of another. */
export function asTurnOfClient({ turn, ...answer }: ConversationAnswer, by: string | null): ConversationAnswer {
  const from = by ?? tokenSpeaker
  const { messageId, content } = turn
  const id = messageId === undefined ? {} : { messageId: `client:${from}:${messageId}` }
  return { ...answer, turn: { ...id, from, role: 'user', content } }
}

/** Who speaks with the token of an interrupt. Names of keys begin with `key:`. */
const tokenSpeaker = 'token'

function checkTurn(turn: unknown): asserts turn is ConversationAnswer['turn'] {
  if (!isJsonObject(turn) || turn.content === undefined)
    throw invalid('resumeValue.turn', 'must be an object with content')
  for (const name of ['messageId', 'from'] as const)
    if (turn[name] !== undefined)
      checkIdentifier(`resumeValue.turn.${name}`, turn[name], 'messageIdCharactersMax', limits.messageIdCharactersMax)
  if (turn.role !== undefined && !(messageRoles as readonly unknown[]).includes(turn.role))
    throw invalid('resumeValue.turn.role', `must be one of ${messageRoles.join(', ')}`)
}

type Opening = { readonly content: unknown; readonly agentId: string | null }

/** Opens a conversation with its first turn: `conversation.opened`, caused by the suspension of its node. */
export function openConversation(
  progress: RunProgress,
  nodeId: string,
  { data }: InterruptRequest,
  { content, agentId }: Opening,
  now: number,
): void {
  const conversationId = String(data.conversationId)
  const cause = progress.nextSequence - 2
  const speaker =
    agentId === null ? { from: 'host', role: 'system' as const } : { from: agentId, role: 'agent' as const }
  const turn = toTurn(progress, nodeId, conversationId, { ...speaker, content }, now)
  progress.emit('conversation.opened', {
    nodeId,
    facts: { conversationId, ...(agentId === null ? {} : { agentId }) },
    text: { initialTurn: withoutContent(turn) },
    cause,
  })
  writeMessage(progress, nodeId, conversationChannel, turn)
}

/** Adds a turn. False when a message of this id is there already. */
export function addTurn(
  progress: RunProgress,
  nodeId: string,
  { data }: InterruptRequest,
  given: ConversationAnswer['turn'] & { readonly by: string | null },
  now: number,
): boolean {
  const turn = toTurn(progress, nodeId, String(data.conversationId), given, now)
  if (hasMessage(progress, turn)) return false
  const { turnIndex, conversationId } = turn
  progress.emit('conversation.exchanged', {
    nodeId,
    facts: { conversationId, turnIndex },
    text: { turn: withoutContent(turn) },
  })
  return writeMessage(progress, nodeId, conversationChannel, turn)
}

/** Closes a conversation with its last turn: `conversation.closed`. The outcome is content: it is in the run, and the event says whether there is one. */
export function closeConversation(
  progress: RunProgress,
  nodeId: string,
  { data }: InterruptRequest,
  given: ConversationAnswer['turn'] & { readonly by: string | null },
  now: number,
): void {
  const conversationId = String(data.conversationId)
  const turn = toTurn(progress, nodeId, conversationId, given, now)
  progress.emit('conversation.closed', {
    nodeId,
    facts: { conversationId, turnIndex: turn.turnIndex },
    text: { finalTurn: withoutContent(turn), outcome: null },
  })
  writeMessage(progress, nodeId, conversationChannel, turn)
}

/** The turn that ends a conversation in which no one has answered in time. */
export const timeoutTurn = { from: 'host', role: 'system', content: 'The conversation timed out.', by: null } as const

function hasMessage({ text }: RunProgress, { messageId }: Message): boolean {
  return messagesOf(text, conversationChannel).some((known) => known.messageId === messageId)
}

/** Ids are made from the node, its turn and the place of the message, so that a replay has the same. */
function toTurn(
  progress: RunProgress,
  nodeId: string,
  conversationId: string,
  given: ConversationAnswer['turn'] & { readonly by?: string | null },
  ts: number,
): Message {
  const turnIndex = messagesOf(progress.text, conversationChannel).filter(
    (message) => message.conversationId === conversationId,
  ).length
  const { messageId = `${nodeId}.${turnOf(progress, nodeId)}.${turnIndex}`, role = 'user', content, by } = given
  const from = given.from ?? by ?? role
  const speaker = role === 'agent' ? { speakerId: from } : {}
  return { messageId, from, role, ts, turnIndex, ...speaker, conversationId, content }
}

/** What the node of a closed conversation gets. */
export function toConversationResult(progress: RunProgress, { data }: InterruptRequest, outcome: unknown): JsonObject {
  const { conversationId } = data
  const turnCount = messagesOf(progress.text, conversationChannel).filter(
    (message) => message.conversationId === conversationId,
  ).length
  return { operation: 'close', conversationId, outcome, turnCount }
}
