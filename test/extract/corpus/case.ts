import { type Category, isCategory } from '../../../src/core/provenance/category.ts'
import type { SourceMessage } from '../../../src/core/provenance/source-event.ts'

export type Expectation = {
  readonly category: Category
  readonly claimKey: string | null
  /** Whether the content should say that something is so, or that it is not (or no longer) so. */
  readonly isPositive: boolean
  /** All of these should appear in the content, whatever their case. */
  readonly words: readonly string[]
}

/** What people say, and what should be remembered of it. */
export type Case = {
  readonly messages: readonly SourceMessage[]
  readonly expected: readonly Expectation[]
  /** Never looked at while the rules are tuned, so that its figure says how new texts fare. */
  readonly isHeldOut: boolean
}

/** Expectations are written `+category key word word`, with `-` for what is negated and `~` for no key. */
export function say(text: string, ...expected: string[]): Case {
  return { messages: [{ role: 'user', content: text }], expected: expected.map(toExpectation), isHeldOut: false }
}

export function held(text: string, ...expected: string[]): Case {
  return { ...say(text, ...expected), isHeldOut: true }
}

/** Lines begin with the role's first letter: `A` assistant, `U` user, `S` system. */
export function talk(lines: readonly string[], ...expected: string[]): Case {
  return { messages: lines.map(toMessage), expected: expected.map(toExpectation), isHeldOut: false }
}

export function heldTalk(lines: readonly string[], ...expected: string[]): Case {
  return { ...talk(lines, ...expected), isHeldOut: true }
}

const roles = { A: 'assistant', U: 'user', S: 'system' } as const

function toMessage(line: string): SourceMessage {
  const role = roles[line[0] as keyof typeof roles]
  if (role === undefined) throw new Error(`no role: ${line}`)
  return { role, content: line.slice(2) }
}

function toExpectation(text: string): Expectation {
  const [category = '', key = '', ...words] = text.slice(1).split(' ')
  if (!isCategory(category) || key === '' || !'+-'.includes(text[0] ?? ' ')) throw new Error(`bad expectation: ${text}`)
  return { category, claimKey: key === '~' ? null : key, isPositive: text[0] === '+', words }
}
