import { termsOf } from './words.ts'

/** A message as it is indexed: who says it, and what. */
export type Utterance = {
  readonly speaker: string | null
  /** The terms it is found by: those of the speaker's name first, then those of what is said. */
  readonly terms: readonly string[]
}

/** One to three words with capital letters before a colon, as in "Ana María: I moved." */
const prefix = /^\s*(\p{Lu}[\p{L}\p{M}'’.-]*(?: \p{Lu}[\p{L}\p{M}'’.-]*){0,2})\s*:\s+(?=\S)/u
/** What stands before a colon in notes, and is nobody's name. */
const notNames =
  /^(?:note|notes|todo|update|edit|fact|summary|reminder|warning|important|question|answer|q|a|re|ps|p\.s|fyi|date|time|name|city|email|phone|address)$/i

/** Who says a message: a name the caller gave, the name before a colon, or the role. */
export function speakerOf({
  content,
  name,
  role,
}: {
  content: string
  name?: string | null
  role?: string | null
}): string | null {
  if (name) return name
  const found = prefix.exec(content)?.[1]
  if (found !== undefined && !notNames.test(found)) return found
  return role ?? null
}

/** A message that names who says it, as texts do: so whoever reads the memory knows, and so does the index. */
export function withSpeaker(content: string, name: string): string {
  const isNamed = content.trimStart().toLowerCase().startsWith(`${name.toLowerCase()}:`)
  return isNamed ? content : `${name}: ${content}`
}

/** What a message says, without the name before it. */
export function spokenText(content: string, speaker: string | null): string {
  const found = prefix.exec(content)
  return found && found[1] === speaker ? content.slice(found[0].length) : content
}

/** How a message is indexed. The name of its speaker is found like its words; a role is not a name. */
export function utteranceOf(message: { content: string; name?: string | null; role?: string | null }): Utterance {
  const speaker = speakerOf(message)
  const isNamed = speaker !== null && speaker !== message.role
  const said = termsOf(spokenText(message.content, speaker))
  return { speaker, terms: isNamed ? [...termsOf(speaker), ...said] : said }
}
