import type { ExtractionRule } from './language.ts'

/** A pattern that begins with a word, or with alternatives of words, can only match a text that begins with one of them. */
const firstWord = /^\^(?:(?<word>[\p{L}']+)|\(\?:(?<words>[\p{L}'|]+)\)) /u

type Index = {
  readonly byWord: ReadonlyMap<string, readonly ExtractionRule[]>
  readonly others: readonly ExtractionRule[]
}

const indexes = new WeakMap<readonly ExtractionRule[], Index>()

/** The rules that can match a text, in order. Its first word excludes most rules. */
export function rulesFor(rules: readonly ExtractionRule[], text: string): readonly ExtractionRule[] {
  let index = indexes.get(rules)
  if (index === undefined) {
    index = indexOf(rules)
    indexes.set(rules, index)
  }
  const end = text.indexOf(' ')
  return index.byWord.get(text.slice(0, end < 0 ? text.length : end).toLowerCase()) ?? index.others
}

function indexOf(rules: readonly ExtractionRule[]): Index {
  const starts = rules.map(startsOf)
  const words = new Set(starts.flatMap((start) => start ?? []))
  const startingWith = (word: string) => rules.filter((_, at) => starts[at]?.includes(word) ?? true)
  return {
    byWord: new Map([...words].map((word) => [word, startingWith(word)])),
    others: rules.filter((_, at) => starts[at] === null),
  }
}

function startsOf({ when }: ExtractionRule): readonly string[] | null {
  // With alternatives at the top level the pattern has no single first word.
  const { word, words } = isOneAlternative(when.source) ? (firstWord.exec(when.source)?.groups ?? {}) : {}
  return (word ?? words)?.toLowerCase().split('|') ?? null
}

function isOneAlternative(source: string): boolean {
  let depth = 0
  for (let at = 0; at < source.length; at++) {
    const letter = source[at]
    if (letter === '\\') at++
    else if (letter === '(' || letter === '[') depth++
    else if (letter === ')' || letter === ']') depth--
    else if (letter === '|' && depth === 0) return false
  }
  return true
}
