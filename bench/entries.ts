import { randomBytes } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import { createRandom } from '../test/support/random.ts'

/** Where every benchmark writes. */
export const memoryRef = 'agents/concierge'
export const actor = 'library'

export type Draft = { readonly content: string; readonly tags: readonly string[] }

/** A draft with what the raw side does not make itself. */
export type RawEntry = Draft & { readonly id: string; readonly salt: string }

const words =
  `ada prefers tea over coffee in the morning and asks for the quiet room near the garden whenever she stays longer than
  two nights because the street side wakes her before seven the invoice goes to her office in lisbon with the project number
  on the first line she met the team last spring talked about the harbour plan and wants a short summary every friday`.split(
    /\s+/,
  )

const contentCharacters = 290
export const tagNames = Array.from({ length: 50 }, (_, index) => `topic-${index}`)

export type Drafts = (count: number) => Draft[]

/** New texts on every call: a repeated text could be cached. */
export function createDrafts(seed: number): Drafts {
  const random = createRandom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const draft = (): Draft => {
    const text: string[] = []
    for (let length = 0; length < contentCharacters; length += (text.at(-1) ?? '').length + 1) text.push(pick(words))
    const tags = new Set<string>()
    for (const wanted = 2 + Math.floor(random() * 3); tags.size < wanted; ) tags.add(pick(tagNames))
    return { content: text.join(' ').slice(0, contentCharacters), tags: [...tags] }
  }
  return (count) => Array.from({ length: count }, draft)
}

/** With what every program has to make of a draft: an id, a salt, and the host's own tag. */
export function toRawEntries(drafts: readonly Draft[]): RawEntry[] {
  return drafts.map(({ content, tags }) => ({
    content,
    tags: [...tags, 'source:api'],
    id: `mem_${uuidv7()}`,
    salt: randomBytes(16).toString('hex'),
  }))
}

export function shuffle<T>(list: readonly T[], random: () => number): T[] {
  const shuffled = [...list]
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const moved = shuffled[i] as T
    shuffled[i] = shuffled[j] as T
    shuffled[j] = moved
  }
  return shuffled
}
