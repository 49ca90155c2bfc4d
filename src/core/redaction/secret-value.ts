import { checkText } from '../check.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'

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
