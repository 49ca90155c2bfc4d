import { splitHarnessText } from './harness-text.ts'

/** Who said a message or a part of it. `other` is a tool, a page, a document, or the program around the model. */
export type SaidBy = 'person' | 'model' | 'other'

/** Roles of the frameworks. Any other role, such as that of a tool or of the program, is `other`. */
const roles: Readonly<Record<string, SaidBy>> = {
  user: 'person',
  human: 'person',
  assistant: 'model',
  ai: 'model',
  model: 'model',
}

/** Types of parts that a person or a model may send: texts, media, thoughts and calls. A part of another type is that of a tool. */
const ownParts =
  /^(?:(?:input_|output_|reasoning_)?text(?:block)?|refusal|reasoning(?:block)?|(?:redacted_)?thinking|(?:input_)?(?:image|audio|video|file)(?:_url|block)?|(?:server_|mcp_)?tool_use|tooluseblock|tool-call|tool_call|function_call|step-start|cachepointblock)$/i
/** Members by which parts without a type say that a tool answered. */
const resultMembers = [
  'toolResult',
  'functionResponse',
  'toolResponse',
  'codeExecutionResult',
  'tool_use_result',
  'toolUseResult',
]

/** A message as frameworks have it: content as a text, or as a list of parts. */
export type SaidMessage = {
  readonly role?: unknown
  readonly content?: unknown
  /** The program wrote it in the name of its role: a summary, a notice, the prompt of a subagent. */
  readonly isInjected?: boolean
}

/** Who said a message as a whole: one with a part of a tool, or of the program, is `other`. */
export function saidBy({ role, content, isInjected = false }: SaidMessage): SaidBy {
  const by = byRole(role)
  if (isInjected || by === 'other') return 'other'
  return partsOf(content).every((part) => isOwnPart(part, by)) ? by : 'other'
}

/** Who speaks in a role. */
export function byRole(role: unknown): SaidBy {
  return (typeof role === 'string' ? roles[role.toLowerCase()] : undefined) ?? 'other'
}

function partsOf(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : [content]
}

/** Whether a part of a message is what its role said. The text of a person has nothing in it that the program put in. */
export function isOwnPart(part: unknown, by: SaidBy): boolean {
  if (typeof part === 'string') return by !== 'person' || splitHarnessText(part).every(({ isHarness }) => !isHarness)
  if (typeof part !== 'object' || part === null) return true
  const { type, text, ...more } = part as Readonly<Record<string, unknown>>
  if (resultMembers.some((member) => more[member] !== undefined)) return false
  if (isCallOnly(type, more)) return true
  if (type !== undefined && (typeof type !== 'string' || !ownParts.test(type))) return false
  return typeof text !== 'string' || isOwnPart(text, by)
}

/** The call of a tool whose result is not there yet, where one part has both. */
function isCallOnly(type: unknown, { toolInvocation }: Readonly<Record<string, unknown>>): boolean {
  if (type !== 'tool-invocation' || typeof toolInvocation !== 'object' || toolInvocation === null) return false
  const { state } = toolInvocation as { readonly state?: unknown }
  return state === 'call' || state === 'partial-call'
}

/**
 * Whether a value of a program contains what a tool said, at any depth: the state of a graph, for example. Classes of messages are those of
 * LangChain, as it writes them in JSON.
 */
export function containsToolText(value: unknown): boolean {
  const left: unknown[] = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next !== 'object' || next === null) continue
    if (!Array.isArray(next) && isToolMessage(next as Readonly<Record<string, unknown>>)) return true
    for (const member of Object.values(next)) if (typeof member === 'object') left.push(member)
  }
  return false
}

const otherClasses = /^(?:Tool|Function)Message(?:Chunk)?$/
const otherRoles = /^(?:tool|function)$/
const otherParts = /^(?:.*_)?tool[_-]result|^function_call_(?:result|output)$|^toolresultblock$/i

function isToolMessage({ lc, id, role, type, content, ...more }: Readonly<Record<string, unknown>>): boolean {
  if (lc !== undefined && Array.isArray(id)) return otherClasses.test(String(id.at(-1)))
  if (typeof role === 'string' && otherRoles.test(role) && content !== undefined) return true
  if (typeof type === 'string' && (otherParts.test(type) || (otherRoles.test(type) && content !== undefined)))
    return true
  return resultMembers.some((member) => more[member] !== undefined)
}

/** A text that is stored with who said it. */
export type SaidText = { readonly by: SaidBy; readonly text: string }

/** The text of a message, in parts: what the program put into a person's message is `other`. */
export function saidTexts(by: SaidBy, text: string): SaidText[] {
  if (by !== 'person') return text.trim() === '' ? [] : [{ by, text: text.trim() }]
  return splitHarnessText(text).map(({ text: part, isHarness }) => ({
    by: isHarness ? 'other' : 'person',
    text: part.trim(),
  }))
}

/** A message of a call that adds memory. There is no role for what is `other`: its class says it. */
export function toSaidMessage(
  by: SaidBy,
  content: string,
): { readonly role: 'user' | 'assistant' | 'system'; readonly content: string; readonly trust?: 'untrusted' } {
  if (by === 'other') return { role: 'system', content, trust: 'untrusted' }
  return { role: by === 'person' ? 'user' : 'assistant', content }
}

/** Before the role in the tag of an entry that says in which role its text was said. */
export const rolePrefix = 'role:'

export function roleTag(role: string): string {
  return rolePrefix + role
}

/** The class and the tag of an entry. What is `other` is untrusted: a caller lowers the class of its own entry. */
export function markOf(by: SaidBy): { readonly tags: readonly string[]; readonly trust?: 'untrusted' } {
  if (by === 'person') return { tags: [] }
  return by === 'model' ? { tags: [roleTag('assistant')] } : { tags: [roleTag('tool')], trust: 'untrusted' }
}

/** Whether the tags of an entry allow that a person said it. Without a role, it is a statement of its writer. */
export function maybeFromPerson(tags: readonly string[]): boolean {
  return tags.every((tag) => !tag.startsWith(rolePrefix) || tag === roleTag('user'))
}
