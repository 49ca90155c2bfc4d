import { createRandom } from '../test/support/random.ts'

/** Artificial words with the frequencies of real ones (Zipf's law): the nth word is about 1/n as frequent as the first. */
export function createZipfWords(seed: number) {
  const random = createRandom(seed)
  const words = Array.from({ length: 20_000 }, (_, at) => `w${at.toString(36)}o`)
  const word = () => words[Math.floor(words.length ** random()) - 1] ?? 'rare'
  /** As common as "the": a search leaves such words out, and these artificial ones it cannot know. */
  const tooCommon = new Set(words.slice(0, 30))
  return {
    sentence: (length: number) => Array.from({ length }, word).join(' '),
    rareWords() {
      const asked: string[] = []
      while (asked.length < 4) asked.push(...[word()].filter((said) => !tooCommon.has(said)))
      return asked.join(' ')
    },
    commonest: () => Array.from({ length: 6 }, () => words[Math.floor(random() * 15)]).join(' '),
  }
}
