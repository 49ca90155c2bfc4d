import { stopWords } from '../../../src/core/search/stop-words.ts'
import { termsOf } from '../../../src/core/search/words.ts'
import { createRandom } from '../../../test/support/random.ts'
import { askedWords, documentsIn, passagesOf, piecesOf, type Range, sectionsOf, shuffled } from './documents.ts'
import { loadLocomo, loadStrangers } from './locomo.ts'
import type { RecallQuestion, RecallSet, Text } from './set.ts'

const seed = 114
const wordsAsked = { min: 3, max: 5 }

const sections = { min: 1_000, max: 40_000 }
const whole = { min: 40_000, max: 40_000 }
/** What is stored: sections or whole documents, all of a half of the packages, or a few of them in each of several stores. */
const storeKinds = [
  { key: 'sections', count: 1, characters: sections, texts: Number.POSITIVE_INFINITY, questions: 150 },
  { key: 'documents', count: 1, characters: whole, texts: Number.POSITIVE_INFINITY, questions: 150 },
  { key: '40 sections', count: 4, characters: sections, texts: 40, questions: 35 },
  { key: '40 documents', count: 4, characters: whole, texts: 40, questions: 35 },
  { key: '6 sections', count: 15, characters: sections, texts: 6, questions: 10 },
  { key: '6 documents', count: 15, characters: whole, texts: 6, questions: 10 },
  { key: '1 document', count: 30, characters: whole, texts: 1, questions: 5 },
] as const
/** The share of further questions to each store that were asked about something else. */
const foreignShare = 0.4

const forms: readonly ((words: string, name: string) => string)[] = [
  (asked) => asked,
  (asked) => `What do the documents say about ${asked}?`,
  (asked) => `Can you explain ${asked}?`,
  (asked, name) => `How do I configure ${asked} in ${name}?`,
  (asked, name) => `How does ${name} handle ${asked}?`,
]

/**
 * Documents of some installed packages, and questions made of words of one passage: of a stored document, or of a package that
 * is held out. Both are made alike, so the only difference is whether something bears. No stored passage has more than half of the
 * words of a question on which nothing bears.
 */
export function loadPackages(folder: string, foreign: readonly RecallQuestion[]): RecallSet {
  const random = createRandom(seed)
  const documents = documentsIn(folder)
  const sources = shuffled([...new Set(documents.map(({ source }) => source))], random)
  const halfOf = new Map(sources.map((source, at) => [source, at % 2]))
  const scopes = new Map<string, readonly Text[]>()
  const questions: RecallQuestion[] = []
  const stores = storeKinds.flatMap((kind) => Array.from({ length: kind.count }, (_, nth) => ({ ...kind, nth })))
  for (const [at, { key, nth, characters, texts, questions: count }] of stores.entries()) {
    const scope = `${key} ${nth}`
    const cut = (half: number) =>
      documents
        .filter(({ source }) => halfOf.get(source) === half)
        .flatMap((document) => cutDocument(document, characters))
    const stored = shuffled(cut(at % 2), random).slice(0, texts)
    const heldOut = cut((at + 1) % 2)
    scopes.set(
      scope,
      stored.map(({ text }, id) => ({ id: String(id), text, observedAt: '2026-01-01T00:00:00.000Z', session: null })),
    )
    const most = mostTogether(stored.map(({ text }) => text))
    const ask = (from: readonly Cut[], isFair: (asked: AskedPassage) => boolean) => {
      const asked: AskedPassage[] = []
      for (let tries = 0; asked.length < count && tries < 100 * count; tries++) {
        const one = askPassage(from, random)
        if (one !== null && isFair(one)) asked.push(one)
      }
      return asked
    }
    const answered = ask(stored, ({ words, from }) => most(words, from) < words.length)
    const unanswered = ask(
      heldOut,
      ({ words, named }) => most(words) <= words.length / 2 && most(named) <= named.length / 2,
    )
    for (const [id, { text, source, from }] of answered.entries())
      questions.push({
        id: `${scope} passage ${id}`,
        scope,
        category: 'passage',
        source,
        text,
        evidence: [String(from)],
      })
    for (const [id, { text, source }] of unanswered.entries())
      questions.push({ id: `${scope} none ${id}`, scope, category: 'none', source, text, evidence: [] })
    for (const question of shuffled(foreign, random).slice(0, foreignShare * count)) {
      const id = `${scope} ${question.id}`
      questions.push({ id, scope, category: 'foreign', source: question.scope, text: question.text, evidence: [] })
    }
  }
  return { key: 'packages', name: 'Documents of packages, half of them held out', scopes, questions }
}

type Cut = { readonly text: string; readonly source: string; readonly passages: readonly string[] }

/** The sections of a document that have a passage to ask for. A document that is not longer than a section is one. */
function cutDocument({ text, source }: { readonly text: string; readonly source: string }, characters: Range): Cut[] {
  const cut = text.length < characters.min ? [text] : sectionsOf(text, characters)
  return cut
    .map((section) => ({ text: section, source, passages: passagesOf(section) }))
    .filter(({ passages }) => passages.length > 0)
}

type AskedPassage = {
  readonly text: string
  readonly source: string
  /** The place of the text among those that were asked for. */
  readonly from: number
  /** The terms of the passage in the question, and the same with the name of the package if the question has it. */
  readonly words: readonly string[]
  readonly named: readonly string[]
}

/** A question made of words of one passage, half of the time with a word from elsewhere: people rarely use only the words of the text. */
function askPassage(texts: readonly Cut[], random: () => number): AskedPassage | null {
  const any = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T
  const from = Math.floor(random() * texts.length)
  const { source, passages } = texts[from] as Cut
  const own = askedWords(any(passages), wordsAsked, random)
  const other = random() < 0.5 ? [] : askedWords(any(any(texts).passages), { min: 1, max: 1 }, random)
  const form = any(forms)
  const name = nameOf(source)
  if (own.length === 0 || (form.length > 1 && stopWords.has(name.toLowerCase()))) return null
  const words = [...new Set(own.flatMap((word) => termsOf(word)))]
  const named = form.length > 1 ? [...new Set([...words, ...termsOf(name)])] : words
  return { text: form([...own, ...other].join(' '), name), source, from, words, named }
}

/** The highest number of some terms that one sentence of the texts has, of all texts but one. */
function mostTogether(texts: readonly string[]) {
  const pieces = texts.flatMap((text, at) => piecesOf(text).map((piece) => ({ at, terms: new Set(termsOf(piece)) })))
  return (terms: readonly string[], except?: number): number => {
    let most = 0
    for (const piece of pieces)
      if (piece.at !== except) most = Math.max(most, terms.filter((term) => piece.terms.has(term)).length)
    return most
  }
}

/** The sessions of LoCoMo as one long text each, and its questions: those to their own conversation, and those about strangers. */
export function loadSessions(folder: string): RecallSet {
  const { scopes: conversations, questions } = loadLocomo(folder)
  const scopes = new Map<string, readonly Text[]>()
  const sessionOf = new Map<string, string>()
  for (const [scope, turns] of conversations) {
    const sessions = Map.groupBy(turns, ({ session }) => session ?? '')
    scopes.set(
      scope,
      Array.from(sessions, ([id, said]): Text => {
        for (const turn of said) sessionOf.set(`${scope} ${turn.id}`, id)
        const observedAt = said[0]?.observedAt ?? ''
        return {
          id,
          observedAt,
          session: null,
          text: [`# ${observedAt.slice(0, 10)}`, ...said.map(({ text }) => text)].join('\n'),
        }
      }),
    )
  }
  const own = questions.map((question): RecallQuestion => {
    const sessions = question.evidence.flatMap((turn) => sessionOf.get(`${question.scope} ${turn}`) ?? [])
    return { ...question, evidence: [...new Set(sessions)] }
  })
  return {
    ...{ key: 'sessions', name: 'LoCoMo, each session as one text', scopes },
    questions: [...own.filter(({ evidence }) => evidence.length > 0), ...loadStrangers(folder).questions],
  }
}

/** Sections that short facts are stored among. */
const sectionsAmongFacts = 40

/** The facts of a set with sections of documents in the same scopes, and the questions of the set. */
export function loadMixed<T extends RecallSet>(facts: T, documents: RecallSet | undefined): T {
  const sections = [...(documents?.scopes.values() ?? [])].flat().slice(0, sectionsAmongFacts)
  const added = sections.map((text): Text => ({ ...text, id: `section ${text.id}`, agent: 'documents' }))
  return {
    ...facts,
    ...{ key: 'mixed', name: `${facts.name}, among sections of documents` },
    scopes: new Map([...facts.scopes].map(([scope, texts]) => [scope, [...texts, ...added]])),
    questions: facts.questions.map(
      (question): RecallQuestion => ({
        ...question,
        source: question.id,
        agents: [...(question.agents ?? []), 'documents'],
      }),
    ),
  }
}

/** As people write it. */
function nameOf(source: string): string {
  const name = source.replace(/^@[^/]+\//, '')
  return name.charAt(0).toUpperCase() + name.slice(1)
}
