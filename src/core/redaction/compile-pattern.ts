import { RE2JS, RE2JSSyntaxException } from 're2js'
import { invalid } from '../errors.ts'

/** A pattern from outside, for an engine that is linear in the text whatever the pattern says. */
export function compilePattern(field: string, pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    throw invalid(field, `must be a regular expression in RE2 syntax (${reasonOf(error)})`)
  }
}

/** Words of the engine, never of the pattern: a secret may have been pasted into it. */
function reasonOf(error: unknown): string {
  const reason = error instanceof RE2JSSyntaxException ? error.getDescription() : null
  if (reason === 'invalid repeat count') return 'counts up to 1,000, nested ones multiplied'
  return ['no look-around, no back-references', ...(reason === null ? [] : [reason])].join('; ')
}
