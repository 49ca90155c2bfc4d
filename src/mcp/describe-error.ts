import { isClientError } from '../client/index.ts'
import { visibleText } from '../core/visible-text.ts'
import { type ArgumentNames, inArgumentNames } from './argument-names.ts'

/** The error as one text: code, message, missing scope, arguments and hint. The model can act on it or show it to the user. */
export function describeError(error: unknown, names?: ArgumentNames): string {
  if (!isClientError(error)) return 'internal_error: The MCP server failed. Look at its log.'
  const { requiredScope, fields } = error.details
  const message = inArgumentNames(error.message, names)
  const problems = Array.isArray(fields) ? fields.map((field) => inArgumentNames(String(field), names)) : []
  const lines = [
    `${error.code}: ${message}`,
    ...(typeof requiredScope === 'string' ? [`The API key lacks the scope ${requiredScope}.`] : []),
    ...(problems.length > 1 ? [`${problems.join(', ')}.`] : []),
    error.code === 'validation_error' ? 'Correct the named argument and call the tool again.' : error.hint,
  ]
  return visibleText(lines.filter(Boolean).join(' '))
}
