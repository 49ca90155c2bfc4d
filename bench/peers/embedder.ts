import { createRandom } from '../../test/support/random.ts'

/** As many numbers as a small real embedder gives. */
export const dimensions = 384

const known = new Map<string, Float64Array>()

/** Each word has its own direction, the same on every machine: texts that share words are near each other. */
function vectorOf(word: string): Float64Array {
  const found = known.get(word)
  if (found) return found
  let seed = 2_166_136_261
  for (const character of word) seed = Math.imul(seed ^ character.charCodeAt(0), 16_777_619)
  const random = createRandom(seed)
  const made = Float64Array.from({ length: dimensions }, () => random() * 2 - 1)
  known.set(word, made)
  return made
}

/** Stands in for a model and needs no network. It must cost little: products that need one pay for it, and Colophon does not. */
export function embed(text: string): number[] {
  const sum = new Float64Array(dimensions)
  for (const word of text.toLowerCase().split(/[^\p{L}\p{N}]+/u)) {
    if (word === '') continue
    const vector = vectorOf(word)
    for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] as number) + (vector[i] as number)
  }
  let squares = 0
  for (let i = 0; i < dimensions; i++) squares += (sum[i] as number) ** 2
  const length = Math.sqrt(squares) || 1
  const unit: number[] = []
  for (let i = 0; i < dimensions; i++) unit.push((sum[i] as number) / length)
  return unit
}

/** In the shape of LangChain's embedders. */
export const langchainEmbedder = {
  embedQuery: async (text: string) => embed(text),
  embedDocuments: async (texts: readonly string[]) => texts.map(embed),
}
