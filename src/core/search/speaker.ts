import { termsOf } from './words.ts'

/** A message as it is indexed: who says it, and what. */
export type Utterance = {
  readonly speaker: string | null
  /** The terms it is found by: those of the speaker's name first, then those of what is said. */
  readonly terms: readonly string[]
}

/**
 * Who stands before a colon: one to three words with capital letters, as in "Ana María: I moved.", a handle, which has a sign or a
 * digit that words do not have, or a name in a script without capitals and spaces.
 */
const name = "\\p{Lu}[\\p{L}\\p{M}'’.-]*(?: \\p{Lu}[\\p{L}\\p{M}'’.-]*){0,2}"
const handle = '@[\\p{L}\\p{N}_.-]+|\\p{L}[\\p{L}\\p{M}.-]*[\\p{N}_][\\p{L}\\p{N}_.-]*'
const unspacedName = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー・]{2,8}'
const prefix = new RegExp(`^\\s*(?:(${name}|${handle})\\s*:\\s+|(${unspacedName})\\s*[:：]\\s*)(?=\\S)`, 'u')
/** What stands before a colon in notes, and is nobody's name. */
const notNames =
  /^(?:注意|注|メモ|備考|質問|回答|备注|问题|答案|总结|메모|질문|답변|note|notes|todo|update|edit|fact|summary|reminder|warning|important|question|answer|q|a|re|ps|p\.s|fyi|date|time|name|city|email|phone|address)$/i

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
  const found = prefixOf(content)?.found
  if (found !== undefined && !notNames.test(found)) return found
  return role ?? null
}

/** A message that names who says it, as texts do: so whoever reads the memory knows, and so does the index. */
export function withSpeaker(content: string, name: string): string {
  const isNamed = content.trimStart().toLowerCase().startsWith(`${name.toLowerCase()}:`)
  return isNamed ? content : `${name}: ${content}`
}

function prefixOf(content: string): { readonly found: string; readonly length: number } | null {
  const match = prefix.exec(content)
  const found = match?.[1] ?? match?.[2]
  return match && found !== undefined ? { found, length: match[0].length } : null
}

/** What a message says, without the name before it. */
export function spokenText(content: string, speaker: string | null): string {
  const before = prefixOf(content)
  return before?.found === speaker ? content.slice(before.length) : content
}

/** How a message is indexed. The name of its speaker is found like its words; a role is not a name. */
export function utteranceOf(message: { content: string; name?: string | null; role?: string | null }): Utterance {
  const speaker = speakerOf(message)
  const isNamed = speaker !== null && speaker !== message.role
  const said = termsOf(spokenText(message.content, speaker))
  return { speaker, terms: isNamed ? [...termsOf(speaker), ...said] : said }
}
