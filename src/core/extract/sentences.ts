/** Longer sentences are split, which bounds the cost of any rule. */
const sentenceCharactersMax = 600

/** A sentence without its final punctuation. */
export type Sentence = { readonly text: string; readonly isQuestion: boolean }

/** A sentence, and where in its line it begins. */
export type PlacedSentence = Sentence & { readonly from: number }

// The lookbehind starts a match at the first of many dots only: a line of dots would take quadratic time.
const boundary = /(?<![.!?…])[.!?…]+["')\]]*(?=\s|$)|[。！？]+|[:;]\s(?=\S)/gu
const initial = /(?:^|\s)\p{L}$/u
/** Longer than any abbreviation with the word before it. */
const tailCharacters = 24

/** Splits a line into sentences. Dots in numbers, URLs, abbreviations and initials do not end a sentence. */
export function sentencesOf(line: string, abbreviations: readonly ReadonlySet<string>[]): Sentence[] {
  return placedSentences(line, abbreviations).map(({ text, isQuestion }) => ({ text, isQuestion }))
}

/** The same, with the place of each sentence. */
export function placedSentences(line: string, abbreviations: readonly ReadonlySet<string>[]): PlacedSentence[] {
  const sentences: PlacedSentence[] = []
  let from = 0
  for (const match of line.matchAll(boundary)) {
    const [mark] = match
    const tail = line.slice(Math.max(from, match.index - tailCharacters), match.index)
    if (mark === '.' && isAbbreviation(tail, abbreviations)) continue
    push(sentences, line.slice(from, match.index), from, /[?？]/.test(mark))
    from = match.index + mark.length
  }
  push(sentences, line.slice(from), from, false)
  return sentences
}

function isAbbreviation(tail: string, abbreviations: readonly ReadonlySet<string>[]): boolean {
  if (initial.test(tail)) return !/(?:^|\s)[iI]$/.test(tail)
  const word = tail.slice(tail.lastIndexOf(' ') + 1).toLowerCase()
  return abbreviations.some((known) => known.has(word.replace(/^[("']+/, '')))
}

function push(sentences: PlacedSentence[], text: string, start: number, isQuestion: boolean): void {
  let rest = text.trimStart()
  let from = start + text.length - rest.length
  rest = rest.trimEnd()
  while (rest.length > sentenceCharactersMax) {
    const cut = cutOf(rest)
    sentences.push({ text: rest.slice(0, cut).toWellFormed(), isQuestion: false, from })
    const next = rest.slice(cut).trimStart()
    from += rest.length - next.length
    rest = next
  }
  // A text without letters may be a short answer, but only at the start of a message.
  if (/\p{L}/u.test(rest) || (rest !== '' && sentences.length === 0))
    sentences.push({ text: rest.toWellFormed(), isQuestion, from })
}

/** Where to split: after a comma, else between two words, else at the limit. */
function cutOf(text: string): number {
  const least = sentenceCharactersMax / 2
  const comma = text.lastIndexOf(', ', sentenceCharactersMax)
  if (comma > least) return comma + 1
  const space = text.lastIndexOf(' ', sentenceCharactersMax)
  return space > least ? space : sentenceCharactersMax
}
