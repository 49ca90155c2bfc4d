import type { Clause } from '../../language.ts'
import { lowerFirst } from '../../text.ts'
import { openClause } from './normalise.ts'

const clauseCharactersMax = 300
const clausesMax = 12

const verbs =
  'work|live|love|hate|like|prefer|use|speak|have|am|are|was|play|study|drive|moved|joined|enjoy|dislike|do not|can not|never|usually|own|run|lead|manage|grew up|eat|drink|started|left|adore|listen|go|need|studied|work'
const subjects =
  'i|we|my|our|please|can you|could you|would you|what|which|how|should|do you|any|is there|are there|where|no emoji'
const breaks = new RegExp(
  `(?:,? (?:and|but|so|because|since|plus|although|though|while|yet|however|where|as) (?:now |then |also |actually |currently |still |that )*|,|;| [-–—] |— | \\(|\\) )\\s*(?=(?:also |now |then |actually |currently |still |no longer )*(?:${subjects})\\b)` +
    `|(?:,? (?:and|but)|,) (?=(?:also |now |then |still |currently |no longer |really )*(?:${verbs}|from)\\b)` +
    '|,? (?:btw|by the way),? ',
  'gi',
)
const asks =
  /^(?:can|could|would|will|should|do|does|did|is|are|am|was|what|which|how|where|when|why|who|any|shall|has|have (?:i|you))\b/i
const startsVerb = new RegExp(`^(?:(?:also|now|then|still|currently|no longer|really) )*(?:${verbs})\\b`, 'i')

/** Splits "I live in Bonn and work as a nurse, what can I cook?" into its statements, each with its subject. */
export function clausesOf(sentence: string, isQuestion: boolean): readonly Clause[] {
  const parts = sentence
    .split(breaks)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .slice(0, clausesMax)
  const statements = isQuestion ? questionStart(parts) : parts.length
  const clauses: Clause[] = []
  for (const part of parts.slice(0, statements)) {
    const { text, isHedged } = openClause(part.slice(0, clauseCharactersMax).toWellFormed())
    clauses.push({ text: withSubject(text, clauses.at(-1)?.text ?? ''), isHedged })
  }
  return clauses
}

/** The index of the first part that is a question; the last part if none looks like one. */
function questionStart(parts: readonly string[]): number {
  const at = parts.findIndex((part) => asks.test(openClause(part).text))
  return at < 0 ? parts.length - 1 : at
}

/** Clauses without a subject: "Just moved to Lisbon", "Allergic to nuts". */
const subjectless =
  /^(?:just |recently |finally )*(?:started (?:my|working|at)|moved (?:to|back|from)|joined|quit|adopted|switched (?:to|from)|love|hate|prefer|dislike|enjoy|can not stand|live in|work (?:at|as|for|from)|grew up in|have (?:two|three|four|\d|an? (?:dog|cat|son|daughter|wife|husband)))\b/i
const subjectAndVerbLess =
  /^(?:currently |originally )*(?:allergic to|born in|based in|married|living in|working (?:at|as|for)|lactose intolerant|self-employed|fluent in|new to|training for|learning \p{Lu}|originally from|from \p{Lu}\p{Ll}+$)/u

function withSubject(clause: string, previous: string): string {
  if (previous === '' && subjectless.test(clause)) return `I ${lowerFirst(clause)}`
  if (previous === '' && subjectAndVerbLess.test(lowerFirst(clause))) return `I am ${lowerFirst(clause)}`
  const [, subject] = /^(i|we)\b/i.exec(previous) ?? []
  if (subject === undefined) return clause
  if (/^from /i.test(clause)) return `${subject} am ${clause}`
  return startsVerb.test(clause) ? `${subject} ${clause}` : clause
}
