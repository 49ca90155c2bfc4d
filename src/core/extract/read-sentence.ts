import { limits } from '../limits.ts'
import { type Clause, type ExtractionRule, type Finding, hedgedConfidence, type Language } from './language.ts'
import { rulesFor } from './rule-index.ts'
import type { Sentence } from './sentences.ts'
import { removedText } from './text.ts'

/** Applies the rules of one language to a sentence. */
export function readSentence(language: Language, { text, isQuestion }: Sentence): readonly Finding[] {
  const normal = language.normalise(text)
  if (language.nonStatement.test(normal)) return []
  const clauses = language.clausesOf(normal, isQuestion)
  const whole = isQuestion ? [] : applyFirst(language.sentenceRules, normal)
  const found = whole.length > 0 ? whole : clauses.flatMap((clause) => readClause(language, clause))
  const stated = isQuestion ? clauses.map((clause) => clause.text).join('; ') : normal
  const mentioned = language.mentionRules.flatMap((rule) => applyAll(rule, stated))
  const known = new Set(found.map(slotOf))
  const all = [...found, ...mentioned.filter((finding) => !known.has(slotOf(finding)))]
  const kept = all.length > 0 || isQuestion ? all : applyFirst(language.fallbackRules, normal)
  return kept.map((finding) => longEnough(language, finding))
}

function longEnough(language: Language, finding: Finding): Finding {
  const isShort = finding.content.length < limits.candidateCharactersMin
  return isShort ? { ...finding, content: language.lengthen(finding.content) } : finding
}

function readClause(language: Language, { text, isHedged }: Clause): readonly Finding[] {
  const found = applyFirst(language.clauseRules, text)
  if (!isHedged) return found
  return found.map((finding) => ({ ...finding, confidence: Math.min(finding.confidence, hedgedConfidence) }))
}

function applyFirst(rules: readonly ExtractionRule[], text: string): readonly Finding[] {
  for (const { when, make } of rulesFor(rules, text)) {
    const match = when.exec(text)
    const found = match === null ? [] : findingsOf(make, match)
    if (found.length > 0) return found
  }
  return []
}

function applyAll({ when, make }: ExtractionRule, text: string): readonly Finding[] {
  return [...text.matchAll(when)].flatMap((match) => findingsOf(make, match))
}

function findingsOf(make: ExtractionRule['make'], match: RegExpExecArray): readonly Finding[] {
  const found = make(...match.slice(1).map((group) => group ?? ''))
  // A removed URL or quotation leaves an incomplete statement. A claim key must not end in an empty part.
  return found.filter(({ content, claimKey }) => !content.includes(removedText) && !claimKey?.endsWith('.'))
}

const slotOf = ({ category, claimKey, value }: Finding) => `${category} ${claimKey ?? value}`
