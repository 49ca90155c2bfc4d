import { limits } from '../limits.ts'
import { stopWords } from '../search/stop-words.ts'
import { termsOf, wordsOf } from '../search/words.ts'

/**
 * The agent of a host without a model: it answers a question with the sentence of its memory that has most of the question's words, and
 * remembers what a task says to remember. The same task and memory give the same answer.
 */
export type RulesAnswer = {
  readonly kind: 'answered' | 'nothing-found'
  readonly answer: string | null
  /** The share of the question's words that the answer's entry has. */
  readonly confidence: number
  /** The entry that the answer is from. */
  readonly source: string | null
}

/** Anchored, and no two repetitions of the same characters follow each other: it takes time linear in the text. */
const rememberPattern = /^\s*(?:please\s+)?(?:remember|note|merke? dir|notiere)[\s:,]+(?:(?:that|dass)[\s:,]+)?/iu

/** What the task says to remember; null when it asks something. English and German. */
export function textToRemember(task: string): string | null {
  const [cue] = rememberPattern.exec(task.slice(0, limits.agentCueCharactersMax)) ?? []
  return cue === undefined ? null : task.slice(cue.length).trim() || null
}

type Found = { readonly id: string; readonly content: string }

/** Answers from the entries that a search has found, best first. */
export function answerByRules(task: string, found: readonly Found[]): RulesAnswer {
  const asked = questionTerms(task)
  const rated = found.map((entry) => ({ entry, share: shareOf(asked, entry.content) }))
  // The first of equal ones: the search has ranked them.
  const best = rated.reduce<(typeof rated)[number] | null>((a, b) => (a !== null && a.share >= b.share ? a : b), null)
  if (best === null || best.share === 0) return { kind: 'nothing-found', answer: null, confidence: 0, source: null }
  const { entry, share } = best
  return { kind: 'answered', answer: bestSentence(asked, entry.content), confidence: share, source: entry.id }
}

function questionTerms(task: string): ReadonlySet<string> {
  // As many as a search takes.
  const words = wordsOf(task.slice(0, limits.queryCharactersMax)).filter(({ plain }) => !stopWords.has(plain))
  return new Set(words.map(({ term }) => term))
}

/** Rounded, so that the same share is the same number wherever it is computed. */
function shareOf(asked: ReadonlySet<string>, text: string): number {
  if (asked.size === 0) return 0
  const terms = new Set(termsOf(text))
  const shared = [...asked].filter((term) => terms.has(term)).length
  return Math.round((shared / asked.size) * 1_000) / 1_000
}

function bestSentence(asked: ReadonlySet<string>, content: string): string {
  const sentences = content.split(/(?<=[.!?])\s+/u).map((sentence) => sentence.trim())
  const rated = sentences.map((sentence) => ({ sentence, share: shareOf(asked, sentence) }))
  return rated.reduce((a, b) => (b.share > a.share ? b : a)).sentence
}
