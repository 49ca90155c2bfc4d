/** A part of a message, and whether the memory says the same. */
export type PhrasePart = { readonly text: string; readonly isSource: boolean }

/** Common words alone mark nothing. */
const sharedCharactersMin = 8
/** Longer texts are not compared word by word: the comparison needs time for the product of both lengths. */
const wordsMax = 2_000

/** Marks in a message the longest phrase that it shares with a memory: the whole content, or a run of its words. */
export function markPhrase(message: string, content: string): readonly PhrasePart[] {
  const whole = content.trim().replace(/[.!?\s]+$/u, '')
  const at = whole === '' ? -1 : message.toLowerCase().indexOf(whole.toLowerCase())
  // Only if lower case keeps the length, the index is one of the message too.
  if (at >= 0 && message.toLowerCase().length === message.length) return split(message, at, at + whole.length)
  const range = longestShared(wordsOf(message), wordsOf(content))
  return range === null ? [{ text: message, isSource: false }] : split(message, range[0], range[1])
}

type Word = { readonly text: string; readonly start: number; readonly end: number }

function wordsOf(text: string): readonly Word[] {
  return [...text.matchAll(/[\p{L}\p{N}'’]+/gu)].map((match) => ({
    text: match[0].toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
  }))
}

function longestShared(words: readonly Word[], others: readonly Word[]): readonly [number, number] | null {
  if (words.length > wordsMax || others.length > wordsMax) return null
  let best: readonly [number, number] | null = null
  let before = new Uint16Array(others.length + 1)
  for (const [i, word] of words.entries()) {
    const now = new Uint16Array(others.length + 1)
    for (const [j, other] of others.entries()) {
      if (word.text !== other.text) continue
      const length = (before[j] ?? 0) + 1
      now[j + 1] = length
      const start = words[i - length + 1]?.start ?? word.start
      if (word.end - start >= sharedCharactersMin && word.end - start > (best === null ? 0 : best[1] - best[0]))
        best = [start, word.end]
    }
    before = now
  }
  return best
}

function split(text: string, start: number, end: number): readonly PhrasePart[] {
  return [
    { text: text.slice(0, start), isSource: false },
    { text: text.slice(start, end), isSource: true },
    { text: text.slice(end), isSource: false },
  ].filter((part) => part.text !== '')
}
