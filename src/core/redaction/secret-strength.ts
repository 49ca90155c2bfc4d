import { ColophonError } from '../errors.ts'
import { limits } from '../limits.ts'

/**
 * A client that may write can guess: a right guess is answered with the name of the secret in its place, and a text holds as
 * many guesses as it has characters. So a value that could be guessed like this is no secret to keep.
 */
export function checkSecretStrength(value: string): void {
  const min = limits.secretCandidateBitsMin
  if (candidateBits(value) >= min) return
  const details = { limit: 'secretCandidateBitsMin', min }
  throw new ColophonError('secret_too_weak', `value has fewer than 2^${min} candidates of its length and alphabet.`, {
    details,
  })
}

/** How many values of its length its alphabet has, as a power of two. */
export function candidateBits(value: string): number {
  return [...value].length * Math.log2(alphabetOf(value))
}

const alphabets: readonly (readonly [characters: RegExp, size: number])[] = [
  [/[0-9]/, 10],
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/[\0-/:-@[-`{-\x7f]/, 33],
  // Of all other characters a person or a generator uses those of one script.
  [/[^\0-\x7f]/u, 100],
]

function alphabetOf(value: string): number {
  if (/^[0-9]*$/.test(value)) return 10
  if (/^(?:[0-9a-f]*|[0-9A-F]*)$/.test(value)) return 16
  return alphabets.reduce((sum, [characters, size]) => (characters.test(value) ? sum + size : sum), 0)
}
