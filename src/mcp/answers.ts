import type { CallToolResult } from '@modelcontextprotocol/server'
import { isClientError } from '../client/index.ts'

export function text(...parts: readonly string[]): CallToolResult {
  return { content: [{ type: 'text', text: parts.join('\n') }] }
}

/** What went wrong and the way out, so that the model can go it or tell its person. */
export function explain(error: unknown): string {
  if (!isClientError(error)) return 'internal_error: Something went wrong in the MCP server itself.'
  const { requiredScope, fields } = error.details
  return [
    `${error.code}: ${error.message}`,
    ...(typeof requiredScope === 'string' ? [`The API key needs the scope ${requiredScope}.`] : []),
    ...(Array.isArray(fields) ? [fields.join(', ')] : []),
    error.hint,
  ]
    .filter(Boolean)
    .join(' ')
}

/** A call that fails is an answer too: the model sees why. */
export async function answer(work: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await work()
  } catch (error) {
    return { ...text(explain(error)), isError: true }
  }
}
