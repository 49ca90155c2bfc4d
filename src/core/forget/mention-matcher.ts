import { refOfPerson } from '../people/spelling.ts'

const wordCharacter = /[\p{L}\p{N}_]/u

/** Scripts without spaces between words: in them, a name matches at any place. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/**
 * A test whether a text mentions the name as a separate word, in any case and Unicode form.
 *
 * @example
 * mentionMatcher('ada')("Ada's tea") // true
 * mentionMatcher('ada')('Canada') // false
 */
export function mentionMatcher(name: string): (text: string) => boolean {
  const wanted = fold(name)
  const first = String.fromCodePoint(wanted.codePointAt(0) ?? 0)
  const last = [...wanted].at(-1) ?? ''
  const isBounded = (at: number, text: string) => {
    const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? ''
    const [after = ''] = text.slice(at + wanted.length, at + wanted.length + 2)
    return !joins(before, first) && !joins(last, after)
  }
  return (text) => {
    const folded = fold(text)
    for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + 1))
      if (isBounded(at, folded)) return true
    return false
  }
}

/**
 * The same for the name of a ref. A ref about a person names only that one: `subject:ada.lovelace` is not about `ada`.
 */
export function refMatcher(name: string): (memoryRef: string) => boolean {
  const [isIn, wanted] = [mentionMatcher(name), fold(name)]
  return (memoryRef) => {
    const [prefix] = refOfPerson.exec(memoryRef) ?? []
    return prefix === undefined ? isIn(memoryRef) : fold(memoryRef.slice(prefix.length)) === wanted
  }
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/** Whether two adjacent characters belong to one word. */
function joins(left: string, right: string): boolean {
  return wordCharacter.test(left) && wordCharacter.test(right) && !unspaced.test(left) && !unspaced.test(right)
}

/** A pattern that finds a name in a text in NFC where it is a separate word, in any case. */
export function wordPattern(name: string): RegExp {
  const wanted = name.normalize('NFC')
  const edge = (character: string, look: string) =>
    wordCharacter.test(character) && !unspaced.test(character) ? `(?${look}[\\p{L}\\p{N}_])` : ''
  const escaped = wanted.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  const [first = '', last = ''] = [[...wanted][0], [...wanted].at(-1)]
  return new RegExp(`${edge(first, '<!')}${escaped}${edge(last, '!')}`, 'giu')
}
