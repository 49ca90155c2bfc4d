import { RE2JS, RE2JSSyntaxException } from 're2js'
import { invalid } from '../errors.ts'

/**
 * Compiles a pattern that a client or operator wrote. RE2 matches in time linear in the text for every pattern, so no pattern
 * can block the process (ReDoS).
 */
export function compilePattern(field: string, pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    throw invalid(field, `must be a regular expression in RE2 syntax (${reasonOf(error)})`)
  }
}

/** The reason in the words of the engine. The pattern is never quoted: it may contain a secret. */
function reasonOf(error: unknown): string {
  const reason = error instanceof RE2JSSyntaxException ? error.getDescription() : null
  if (reason === 'invalid repeat count') return 'counts up to 1,000, nested ones multiplied'
  return ['no look-around, no back-references', ...(reason === null ? [] : [reason])].join('; ')
}
