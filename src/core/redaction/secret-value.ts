import { checkText } from '../check.ts'
import { ColophonError, invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { foldString } from './fold-text.ts'

/** Checks the length of a vault secret. */
export function checkSecretValue(field: string, value: string): void {
  checkText(field, value)
  const { secretCharactersMin: min, secretCharactersMax: max } = limits
  if (value.length < min) {
    const why = 'shorter values would match ordinary words and could not be replaced'
    throw invalid(field, `must have at least ${min} characters: ${why}`, { limit: 'secretCharactersMin', min })
  }
  if (value.length > max)
    throw invalid(field, `must be at most ${max} characters`, { limit: 'secretCharactersMax', max })
}

/**
 * Refuses a value that a client could find by guessing (`secret_too_weak`). Redaction is an oracle: a correct guess comes back
 * as a marker, and one text can contain as many guesses as it has characters.
 */
export function checkSecretStrength(value: string): void {
  const min = limits.secretCandidateBitsMin
  if (candidateBits(value) >= min) return
  const details = { limit: 'secretCandidateBitsMin', min }
  throw new ColophonError('secret_too_weak', `value has fewer than 2^${min} candidates of its length and alphabet.`, {
    details,
  })
}

/**
 * The size of the search space, in bits: how many values of this length the alphabet allows. A guess need not hit what folding makes
 * equal (case, blanks, accents), so the folded value is counted, unless it is too short to be searched.
 */
export function candidateBits(value: string): number {
  const folded = foldString(value)
  const searched = folded.length < limits.secretCharactersMin ? value.toLowerCase() : folded
  return [...searched].length * Math.log2(alphabetOf(searched))
}

const alphabets: readonly (readonly [characters: RegExp, size: number])[] = [
  [/[0-9]/, 10],
  [/[a-z]/, 26],
  [/[\0-/:-@[-`{-\x7f]/, 33],
  // Non-ASCII characters usually come from one script.
  [/[^\0-\x7f]/u, 100],
]

function alphabetOf(value: string): number {
  if (/^[0-9]*$/.test(value)) return 10
  if (/^[0-9a-f]*$/.test(value)) return 16
  return alphabets.reduce((sum, [characters, size]) => (characters.test(value) ? sum + size : sum), 0)
}
