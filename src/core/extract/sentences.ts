/** Longer sentences are read in pieces, which bounds what any rule can cost. */
const sentenceCharactersMax = 600

export type Sentence = { readonly text: string; readonly isQuestion: boolean }

const boundary = /[.!?…]+["')\]]*(?=\s|$)|[。！？]+|[:;]\s(?=\S)/gu
const initial = /(?:^|\s)\p{L}$/u
/** More than any abbreviation and the word before it. */
const tailCharacters = 24

/** The sentences of one line. Dots in numbers, addresses, abbreviations and initials end none. */
export function sentencesOf(line: string, abbreviations: readonly ReadonlySet<string>[]): Sentence[] {
  const sentences: Sentence[] = []
  let from = 0
  for (const match of line.matchAll(boundary)) {
    const [mark] = match
    const tail = line.slice(Math.max(from, match.index - tailCharacters), match.index)
    if (mark === '.' && isShortened(tail, abbreviations)) continue
    push(sentences, line.slice(from, match.index), /[?？]/.test(mark))
    from = match.index + mark.length
  }
  push(sentences, line.slice(from), false)
  return sentences
}

function isShortened(tail: string, abbreviations: readonly ReadonlySet<string>[]): boolean {
  if (initial.test(tail)) return !/(?:^|\s)[iI]$/.test(tail)
  const word = tail.slice(tail.lastIndexOf(' ') + 1).toLowerCase()
  return abbreviations.some((known) => known.has(word.replace(/^[("']+/, '')))
}

function push(sentences: Sentence[], text: string, isQuestion: boolean): void {
  let rest = text.trim()
  while (rest.length > sentenceCharactersMax) {
    const cut = cutOf(rest)
    sentences.push({ text: rest.slice(0, cut).toWellFormed(), isQuestion: false })
    rest = rest.slice(cut).trim()
  }
  // What has no letter may answer a question, but only what is said first does.
  if (/\p{L}/u.test(rest) || (rest !== '' && sentences.length === 0))
    sentences.push({ text: rest.toWellFormed(), isQuestion })
}

/** Where a breath could be taken: after a comma, else between two words, else wherever it must be. */
function cutOf(text: string): number {
  const least = sentenceCharactersMax / 2
  const comma = text.lastIndexOf(', ', sentenceCharactersMax)
  if (comma > least) return comma + 1
  const space = text.lastIndexOf(' ', sentenceCharactersMax)
  return space > least ? space : sentenceCharactersMax
}
