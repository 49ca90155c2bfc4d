import type { CallToolResult } from '@modelcontextprotocol/server'
import { isClientError } from '../client/index.ts'

/** A tool result of these lines. */
export function text(...parts: readonly string[]): CallToolResult {
  return { content: [{ type: 'text', text: parts.join('\n') }] }
}

/** The error as one text: code, message, missing scope, fields and hint. The model can act on it or show it to the user. */
export function describeError(error: unknown): string {
  if (!isClientError(error)) return 'internal_error: The MCP server failed. Look at its log.'
  const { requiredScope, fields } = error.details
  return [
    `${error.code}: ${error.message}`,
    ...(typeof requiredScope === 'string' ? [`The API key lacks the scope ${requiredScope}.`] : []),
    ...(Array.isArray(fields) ? [fields.join(', ')] : []),
    error.hint,
  ]
    .filter(Boolean)
    .join(' ')
}

/** Runs a tool. A failure becomes a result with `isError`, so that the model sees the reason. */
export async function runTool(work: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await work()
  } catch (error) {
    return { ...text(describeError(error)), isError: true }
  }
}
