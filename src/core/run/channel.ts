import { toInstant } from '../check.ts'
import { defaultTrust } from '../entries/trust.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { erasedValue, isErased } from '../workflow/erased-value.ts'
import type { EphemeralEntry } from './ephemeral.ts'
import type { RunText } from './run.ts'
import type { RunProgress } from './run-progress.ts'

/** The channel of the conversation of a run. Every run has it. */
export const conversationChannel = 'conversation'

export const messageRoles = ['user', 'agent', 'system'] as const

export type MessageRole = (typeof messageRoles)[number]

/** One message in a channel. Messages are only added, each id once. */
export type Message = {
  readonly messageId: string
  readonly from: string
  readonly role: MessageRole
  /** Milliseconds since 1970. */
  readonly ts: number
  readonly turnIndex: number
  /** Of an agent: its id again, as the protocol wants it. */
  readonly speakerId?: string
  /** The conversation that it is a turn of. */
  readonly conversationId?: string
  readonly content: unknown
}

export type Channels = Readonly<Record<string, readonly Message[]>>

/** The messages of a channel, oldest first. */
export function messagesOf({ channels = {} }: Pick<RunText, 'channels'>, channel: string): readonly Message[] {
  return Object.hasOwn(channels, channel) ? (channels[channel] ?? []) : []
}

/**
 * The reducer `message`: adds a message, unless the channel has its id already. Writes `channel.written`, which shows everything but the
 * content. False when nothing was added.
 */
export function writeMessage(progress: RunProgress, nodeId: string, channel: string, message: Message): boolean {
  const messages = messagesOf(progress.text, channel)
  if (messages.some(({ messageId }) => messageId === message.messageId)) return false
  const max = limits.channelMessagesMax
  if (messages.length >= max)
    throw invalid('channel', `must have at most ${max} messages`, { limit: 'channelMessagesMax', max })
  setMessages(progress, channel, [...messages, message])
  progress.emit('channel.written', {
    nodeId,
    facts: { channel, reducer: 'message', nodeId, writtenAt: toInstant(message.ts) },
    text: { value: withoutContent(message) },
  })
  return true
}

/** The message as events show it. Its content is in the run alone, where it can be erased. */
export function withoutContent(message: Message): Message {
  return { ...message, content: null }
}

/** A recorded write in a run that is rebuilt. The content is that of the source, if it still has it. */
export function replayMessage(
  progress: RunProgress,
  source: RunText,
  payload: Readonly<Record<string, unknown>>,
): void {
  const channel = String(payload.channel)
  const message = payload.value as Message
  const kept = messagesOf(source, channel).find(({ messageId }) => messageId === message.messageId)
  const content = kept === undefined ? erasedValue : kept.content
  setMessages(progress, channel, [...messagesOf(progress.text, channel), { ...message, content }])
}

/** The content of a message that a node of a replay has written again. */
export function restoreContent(progress: RunProgress, channel: string, { messageId, content }: Message): void {
  const messages = messagesOf(progress.text, channel)
  const restored = messages.map((known) => (known.messageId === messageId ? { ...known, content } : known))
  setMessages(progress, channel, restored)
}

function setMessages(progress: RunProgress, channel: string, messages: readonly Message[]): void {
  progress.set({ text: { channels: { ...progress.text.channels, [channel]: messages } } })
}

/** The channels that are left of a run that ends: its conversation is kept only if the tenant wants it. */
export function channelsAfterEnd({ text, facts }: Pick<RunProgress, 'text' | 'facts'>): Pick<RunText, 'channels'> {
  const { channels } = text
  if (channels === undefined || facts.keepsConversation) return {}
  const { [conversationChannel]: _erased, ...others } = channels
  return { channels: others }
}

/** The messages of a conversation as entries, oldest first. A message whose content was erased is left out. */
export function toEntries(messages: readonly Message[]): EphemeralEntry[] {
  return messages
    .filter(({ content }) => !isErased(content))
    .map(({ messageId, role, content, ts }) => ({
      id: messageId,
      content: typeof content === 'string' ? content : JSON.stringify(content),
      tags: [`role:${role}`, 'source:run'],
      createdAt: toInstant(ts),
      // Of those who take part in the run.
      trust: defaultTrust,
    }))
}
