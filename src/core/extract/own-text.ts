import { withoutHarnessText } from '../provenance/harness-text.ts'
import type { Language } from './language.ts'
import { withoutMarkup } from './markup.ts'
import { type Sentence, sentencesOf } from './sentences.ts'
import { removedText } from './text.ts'

const fence = /^\s{0,3}(?:```|~~~)/
const quotedOrTable = /^\s*[>|]/
const logLine = /^\s*\[?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b)/
const codeLine =
  /^\s*(?:(?:const|let|var|def|class|function|import|export|return|public|private|static|package)\s\S|[{}[\]()<#@$]|\/\/|\/\*|\*\/|at \S+ \()|[;{}]\s*$|=>|\w\(\)|^\s*"[^"]*"\s*:/
const signature = /^-- ?$/
const bullet = /^\s*(?:[-*•‣–—+]|\(?\d{1,3}[.)]|\[[ xX]\])\s+/
const speaker = /^\s*([\p{L}][\p{L}\p{M}\p{N} .'’-]{0,30}):\s/u
const role = /^(?:system|assistant|user|human|ai|bot|model|developer)$/i
/** Chat template markup: a message that contains it tries to impersonate another role. */
const chatMarkup = /<\|?\/?\s*(?:system|assistant|user|instructions?|im_start|im_end)\b/i

const url = /(?:https?:\/\/|www\.)\S{1,2000}/gi
/** Three or more words in quotation marks are a quotation; fewer may be a name or a title. */
const quotation = /["“„«][^"“”„«»\s]{1,100}(?:\s[^"“”„«»\s]{1,100}){2,200}\s?["”“»]/g
/** White space other than a single space, which needs no replacement. */
const spaces = /(?:[^\S ]|\p{Cc})[\s\p{Cc}]*| [\s\p{Cc}]+/gu
// A joiner counts only after an emoji: in other scripts it is part of a word.
const emoji =
  / ?(?:(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator})[\u200D\uFE0F]*)+ ?(\p{Lu}|$)?/gu

/**
 * The lines that the user wrote, as plain text: without code, quotations, logs and other speakers. Null when the message
 * impersonates a role.
 */
export function ownLines(message: string, languages: readonly Language[]): string[] | null {
  const content = withoutHarnessText(message)
  if (chatMarkup.test(content)) return null
  const lines: string[] = []
  let isCode = false
  for (const line of content.toWellFormed().split(/[\n\r\u2028\u2029]/)) {
    if (fence.test(line)) isCode = !isCode
    else if (isCode || line.trim() === '') continue
    else if (signature.test(line)) break
    else {
      const { own, isLast } = ownPart(line, languages)
      if (own !== '') lines.push(own)
      if (isLast) break
    }
  }
  return lines
}

function ownPart(line: string, languages: readonly Language[]): { readonly own: string; readonly isLast: boolean } {
  if (quotedOrTable.test(line) || logLine.test(line)) return { own: '', isLast: false }
  const others = languages.map(({ quotedTextStart }) => line.search(quotedTextStart)).filter((at) => at >= 0)
  if (others.length > 0) return { own: plain(line.slice(0, Math.min(...others))), isLast: true }
  if (codeLine.test(line) && !bullet.test(line)) return { own: '', isLast: false }
  const [, label = ''] = speaker.exec(line) ?? []
  const isAnother =
    label !== '' &&
    (role.test(label) ||
      (label.trim().split(' ').length <= 2 && !languages.some(({ ownLabels }) => ownLabels.test(label))))
  return { own: isAnother ? '' : plain(line.replace(bullet, '')), isLast: false }
}

function plain(line: string): string {
  return withoutMarkup(line)
    .replace(spaces, ' ')
    .replace(url, removedText)
    .replace(quotation, removedText)
    .replace(emoji, (_, next?: string) => (next === undefined ? ' ' : `. ${next}`))
    .replace(/["“”„«»]/g, '')
    .replace(/[’ʼ´]/g, "'")
    .trim()
}

/** The sentences that the user wrote in a message. */
export function ownSentences(content: string, languages: readonly Language[]): Sentence[] {
  const abbreviations = languages.map((language) => language.abbreviations)
  return (ownLines(content, languages) ?? []).flatMap((line) => sentencesOf(line, abbreviations))
}

/** A question is at the end of an assistant's message; the rest of the message is not examined. */
const questionCharactersMax = 2_000

/** The question that ends an assistant's message; null when there is none. */
export function lastQuestion(content: string, languages: readonly Language[]): string | null {
  const last = ownSentences(content.slice(-questionCharactersMax), languages).at(-1)
  return last?.isQuestion ? last.text : null
}
