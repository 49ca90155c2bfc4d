import { withoutHarnessText } from '../../core/provenance/harness-text.ts'
import { hookLimits } from './hook-limits.ts'

/** The events of an assistant that a hook handles, by the names that Claude Code and Codex give them. */
export const hookEvents = ['SessionStart', 'UserPromptSubmit', 'Stop', 'PreCompact'] as const
export type HookEvent = (typeof hookEvents)[number]

export type Role = 'user' | 'assistant'
export type SpokenText = { readonly role: Role; readonly text: string }

/** What an assistant sends on standard input, in one form for all of them. */
export type HookInput = {
  readonly sessionId: string
  /** `prompt_id` of Claude Code, `turn_id` of Codex, the id of the message in opencode; null if the assistant sends none. */
  readonly turnId: string | null
  readonly folder: string | null
  readonly prompt: string | null
  readonly reply: string | null
  readonly transcript: string | null
  /** The messages themselves, from an assistant whose plugin can read them. */
  readonly messages: readonly SpokenText[] | null
  /** Whether a person spoke. A subagent, a schedule or the assistant itself can submit a prompt too. */
  readonly isFromPerson: boolean
}

/** A failure with a code for `doctor`. It has no message, because a message could quote what the assistant sent. */
export class HookError extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/** Members that are not used are ignored: assistants add some with every version. */
export function parseHookInput(text: string): HookInput {
  const input = parseObject(text)
  const sessionId = idOf(input.session_id)
  if (sessionId === null) throw new HookError('input_invalid')
  return {
    sessionId,
    turnId: idOf(input.prompt_id) ?? idOf(input.turn_id),
    folder: textOf(input.cwd),
    prompt: textOf(typeof input.prompt === 'string' ? withoutHarnessText(input.prompt) : null),
    reply: textOf(input.last_assistant_message),
    transcript: textOf(input.transcript_path),
    messages: Array.isArray(input.messages) ? input.messages.filter(isSpoken).flatMap(spokenParts) : null,
    isFromPerson: input.agent_id === undefined && [undefined, 'user', 'sdk'].includes(input.source as undefined),
  }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {}
  throw new HookError('input_invalid')
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null
}

function idOf(value: unknown): string | null {
  return typeof value === 'string' && /^[\w.:-]+$/.test(value) && value.length <= hookLimits.idCharactersMax
    ? value
    : null
}

function isSpoken(value: unknown): value is SpokenText {
  const { role, text } = (value ?? {}) as Partial<Record<string, unknown>>
  return (role === 'user' || role === 'assistant') && textOf(text) !== null
}

/** What a person wrote, without what the assistant put into the message: that is neither stored nor taken for the person's. */
export function spokenParts({ role, text }: SpokenText): SpokenText[] {
  const own = role === 'user' ? withoutHarnessText(text) : text
  return own.trim() === '' ? [] : [{ role, text: own }]
}
