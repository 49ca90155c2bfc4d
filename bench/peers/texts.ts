import { createRandom } from '../../test/support/random.ts'

/** A memory, and two adjacent words of it to search for. */
export type Text = { readonly content: string; readonly words: string }

const wordsOfText = 45
const vocabulary = Array.from({ length: 20_000 }, (_, at) => spell(at))
/** As common as "the": searches do not use them. */
const tooCommon = new Set(vocabulary.slice(0, 100))

/** A pronounceable word, unique for each number, and none of them part of a shorter one's stem. */
function spell(at: number): string {
  const consonants = 'bdfgklmnprtvz'
  const vowels = 'aeiou'
  let word = ''
  for (let left = at + 1; left > 0; left = Math.floor(left / (consonants.length * vowels.length))) {
    const syllable = left % (consonants.length * vowels.length)
    word += `${consonants[syllable % consonants.length]}${vowels[Math.floor(syllable / consonants.length)]}`
  }
  return `${word}x`
}

/** About 245 characters each, with word frequencies by Zipf's law: the nth word is about 1/n as frequent as the first. */
export function createTexts(seed: number): (count: number) => Text[] {
  const random = createRandom(seed)
  const word = () => vocabulary[Math.floor(vocabulary.length ** random()) - 1] ?? vocabulary[0] ?? ''
  const text = (): Text => {
    for (;;) {
      const said = Array.from({ length: wordsOfText }, word)
      const at = said.findIndex(
        (first, i) => !tooCommon.has(first) && !tooCommon.has(said[i + 1] ?? '') && i < wordsOfText - 1,
      )
      if (at >= 0) return { content: said.join(' '), words: `${said[at]} ${said[at + 1]}` }
    }
  }
  return (count) => Array.from({ length: count }, text)
}
