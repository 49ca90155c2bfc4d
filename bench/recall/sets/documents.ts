import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { stopWords } from '../../../src/core/search/stop-words.ts'
import { termsOf } from '../../../src/core/search/words.ts'
import { createRandom } from '../../../test/support/random.ts'
import type { RecallQuestion, RecallSet, Text } from './set.ts'

const seed = 27

/** How the sections are cut, and how much of a passage a question repeats. */
export type DocumentsSetting = {
  readonly key: DocumentsKey
  readonly name: string
  readonly sections: number
  readonly questions: number
  readonly characters: Range
  readonly words: Range
  /** Further questions on which nothing bears: words of which no passage has two. */
  readonly unanswered: number
  /** Whether a question has a word from elsewhere too, because people rarely use only the words of the text. */
  readonly hasForeignWord: boolean
}
type DocumentsKey = 'documents' | 'documentsWords' | 'documentsShort'
export type Range = { readonly min: number; readonly max: number }

/** Several, because which ranking is better depends on the setting: the fewer words a question repeats, the worse for BM25. */
export const documentsSettings: readonly DocumentsSetting[] = [
  {
    ...{ key: 'documents', name: 'Long documents, 2–3 words and a foreign one' },
    ...{ sections: 1_000, questions: 400, characters: { min: 2_000, max: 40_000 }, words: { min: 2, max: 3 } },
    ...{ unanswered: 200, hasForeignWord: true },
  },
  {
    ...{ key: 'documentsWords', name: 'Long documents, 2–4 words' },
    ...{ sections: 1_000, questions: 400, characters: { min: 2_000, max: 40_000 }, words: { min: 2, max: 4 } },
    ...{ unanswered: 0, hasForeignWord: false },
  },
  {
    ...{ key: 'documentsShort', name: 'Sections of all lengths, 3–5 words' },
    ...{ sections: 1_200, questions: 400, characters: { min: 300, max: 12_000 }, words: { min: 3, max: 5 } },
    ...{ unanswered: 0, hasForeignWord: false },
  },
]

/**
 * Texts that were not written for this: sections of the READMEs, changelogs and guides of the installed packages. A question is
 * made of some words of one passage, in their order. No other section has the words in one passage, so the section with
 * the passage is the evidence, by construction.
 */
export function loadDocuments(folder: string, setting: DocumentsSetting): RecallSet {
  const random = createRandom(seed)
  const chosen = shuffled(
    documentsIn(folder).flatMap(({ text, source }) =>
      sectionsOf(text, setting.characters).map((section) => ({ section, source })),
    ),
    random,
  ).slice(0, setting.sections)
  const sections = chosen.map(({ section }) => section)
  const passages = sections.map(passagesOf)
  const passagesWith = new Map<string, { readonly section: number; readonly terms: ReadonlySet<string> }[]>()
  for (const [section, all] of passages.entries()) {
    for (const passage of all) {
      const terms = new Set(termsOf(passage))
      for (const term of terms) {
        const list = passagesWith.get(term) ?? []
        passagesWith.set(term, list)
        list.push({ section, terms })
      }
    }
  }
  const questions: RecallQuestion[] = []
  for (let tries = 0; questions.length < setting.questions && tries < 40 * setting.questions; tries++) {
    const section = Math.floor(random() * sections.length)
    const all = passages[section] ?? []
    const passage = all[Math.floor(random() * all.length)]
    const words = passage === undefined ? [] : askedWords(passage, setting.words, random)
    if (words.length < setting.words.min) continue
    const terms = words.flatMap((word) => termsOf(word))
    const rarest = terms
      .map((term) => passagesWith.get(term) ?? [])
      .reduce((best, each) => (each.length < best.length ? each : best))
    const isElsewhere = rarest.some((each) => each.section !== section && terms.every((term) => each.terms.has(term)))
    if (isElsewhere) continue
    const foreign = setting.hasForeignWord ? [foreignWord(passages, section, setting.words, random)] : []
    questions.push({
      ...{ id: `q${questions.length}`, scope: 'documents', category: 'passage', evidence: [String(section)] },
      source: chosen[section]?.source ?? '',
      text: `What do the documents say about ${[...words, ...foreign].join(' ')}?`,
    })
  }
  const isTogether = (one: string, other: string) =>
    passagesWith.get(one)?.some(({ terms }) => terms.has(other)) ?? false
  const answered = questions.length
  while (questions.length < answered + setting.unanswered) {
    const words = Array.from({ length: 3 }, () => foreignWord(passages, -1, setting.words, random))
    const terms = words.flatMap((word) => termsOf(word))
    if (terms.some((one, at) => terms.some((other, nth) => nth > at && isTogether(one, other)))) continue
    questions.push({
      ...{ id: `q${questions.length}`, scope: 'documents', category: 'none', evidence: [] },
      text: `What do the documents say about ${words.join(' ')}?`,
    })
  }
  const texts = sections.map((text, at): Text => {
    return { id: String(at), text, observedAt: '2026-01-01T00:00:00.000Z', session: null }
  })
  return { key: setting.key, name: setting.name, scopes: new Map([['documents', texts]]), questions }
}

/** The texts of Markdown files, in the order of their paths, without licences, and the package of each. */
export function documentsIn(folder: string): { readonly text: string; readonly source: string }[] {
  if (!existsSync(folder)) return []
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
  // The name of a folder may end with .md too.
  const paths = found
    .filter((each) => !each.isDirectory())
    .map((each) => relative(folder, join(each.parentPath, each.name)))
  return paths
    .filter((path) => path.endsWith('.md') && !/licen[cs]e/i.test(path))
    .sort()
    .map((path) => {
      const text = readFileSync(join(folder, path), 'utf8').replaceAll('\r\n', '\n')
      return { text, source: /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? '' }
    })
}

/** Splits at headings; short sections join the next one. */
export function sectionsOf(document: string, characters: Range): string[] {
  const sections: string[] = []
  let open = ''
  for (const part of document.split(/^(?=#{1,2} )/m)) {
    open += part
    if (open.length < characters.min) continue
    sections.push(open.slice(0, characters.max).toWellFormed())
    open = ''
  }
  return sections
}

/** Sentences and lines of prose, without code blocks, links and tables. */
export function passagesOf(section: string): string[] {
  const prose = section.replace(/```[\s\S]*?(?:```|$)/g, '\n').replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
  return piecesOf(prose).filter(
    (passage) => passage.length >= 40 && passage.length <= 400 && !/[|<>{}=]|https?:/.test(passage),
  )
}

/** Sentences, items of lists and lines of tables, whatever they contain. */
export function piecesOf(text: string): string[] {
  return text.split(/\n\s*\n|\n(?=\s*[-*#|])|(?<=[.!?:])\s+/).map((passage) => passage.replace(/\s+/g, ' ').trim())
}

/** Some of the words of a passage that carry meaning, in their order. */
export function askedWords(passage: string, asked: Range, random: () => number): string[] {
  const words = passage.match(/[A-Za-z][A-Za-z-]{2,}/g) ?? []
  const kept = [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => !stopWords.has(word))
  const count = asked.min + Math.floor(random() * (asked.max - asked.min + 1))
  if (kept.length < count + 1) return []
  const chosen = new Set(shuffled(kept, random).slice(0, count))
  return kept.filter((word) => chosen.has(word))
}

/** A word of another section. */
function foreignWord(
  passages: readonly (readonly string[])[],
  section: number,
  asked: Range,
  random: () => number,
): string {
  for (;;) {
    const other = Math.floor(random() * passages.length)
    const passage = passages[other]?.[Math.floor(random() * (passages[other]?.length ?? 0))]
    const [word] = passage === undefined || other === section ? [] : askedWords(passage, asked, random)
    if (word !== undefined) return word
  }
}

export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const mixed = [...items]
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    const [a, b] = [mixed[at] as T, mixed[other] as T]
    mixed[at] = b
    mixed[other] = a
  }
  return mixed
}
