import { limits } from '../limits.ts'
import { textTerms } from './languages/text-language.ts'
import { termsOf } from './words.ts'

/** A message as it is indexed: its speaker and its terms. */
export type Utterance = {
  readonly speaker: string | null
  /** The terms of the speaker's name first, then those of the message. */
  readonly terms: readonly string[]
}

/**
 * A speaker's name before a colon: one to three capitalised words ("Ana María: I moved."), a handle (with a symbol or digit
 * that ordinary words do not have), or a name in a script without capitals and spaces.
 */
const name = "\\p{Lu}[\\p{L}\\p{M}'’.-]*(?: \\p{Lu}[\\p{L}\\p{M}'’.-]*){0,2}"
const handle = '@[\\p{L}\\p{N}_.-]+|\\p{L}[\\p{L}\\p{M}.-]*[\\p{N}_][\\p{L}\\p{N}_.-]*'
const unspacedName = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー・]{2,8}'
const prefix = new RegExp(`^\\s*(?:(${name}|${handle})\\s*:\\s+|(${unspacedName})\\s*[:：]\\s*)(?=\\S)`, 'u')
/** Labels before a colon that are not names. */
const notNames =
  /^(?:注意|注|メモ|備考|質問|回答|备注|问题|答案|总结|메모|질문|답변|note|notes|todo|update|edit|fact|summary|reminder|warning|important|question|answer|q|a|re|ps|p\.s|fyi|date|time|name|city|email|phone|address)$/i

/** The speaker of a message: the name that the caller gave, else the name before a colon, else the role. */
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
  // Letters without spaces before a colon are no name, however many.
  if (found !== undefined && found.length <= limits.speakerCharactersMax && !notNames.test(found)) return found
  return role ?? null
}

/** Puts the speaker's name in front of a message, so that readers of the memory and the index know it. */
export function withSpeaker(content: string, name: string): string {
  const isNamed = content.trimStart().toLowerCase().startsWith(`${name.toLowerCase()}:`)
  return isNamed ? content : `${name}: ${content}`
}

function prefixOf(content: string): { readonly found: string; readonly length: number } | null {
  // Most texts have no colon, and looking for one is cheaper than the pattern.
  if (!content.includes(':') && !content.includes('：')) return null
  const match = prefix.exec(content)
  const found = match?.[1] ?? match?.[2]
  return match && found !== undefined ? { found, length: match[0].length } : null
}

/** The message without the speaker's name in front. */
export function spokenText(content: string, speaker: string | null): string {
  const before = prefixOf(content)
  return before?.found === speaker ? content.slice(before.length) : content
}

/** The speaker and terms of a message. The speaker's name is indexed like a word of the message; a role is not. */
export function utteranceOf(message: { content: string; name?: string | null; role?: string | null }): Utterance {
  const speaker = speakerOf(message)
  const isNamed = speaker !== null && speaker !== message.role
  const said = textTerms(spokenText(message.content, speaker))
  return { speaker, terms: isNamed ? [...termsOf(speaker), ...said] : said }
}
