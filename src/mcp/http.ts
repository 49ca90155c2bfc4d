import { createMcpHandler } from '@modelcontextprotocol/server'
import { createClient } from '../client/index.ts'
import { fetchFrom, type InProcess } from './inject-fetch.ts'
import type { Bound } from './place.ts'
import { createMcpServer } from './server.ts'

export type McpCall = {
  readonly method: string
  readonly headers: Headers
  readonly body: unknown
  readonly key: string
  readonly bound: Bound
  /** Headers by which what a tool asks belongs to the same trace. */
  readonly trace: Readonly<Record<string, string>>
}

/**
 * MCP over streamable HTTP, without sessions: each call is complete in itself, so any server of several can answer it.
 * What a tool asks is asked of the same server with the caller's own key.
 */
export async function answerMcp(server: InProcess, version: string, call: McpCall): Promise<Response> {
  const { method, headers, body, key, bound, trace } = call
  // One attempt: whoever calls can call again, and the server is this one.
  const client = createClient({ url: '', key, fetch: fetchFrom(server, trace), retry: { retries: 0 } })
  const handler = createMcpHandler(() => createMcpServer({ client, bound, version }))
  // The address is never looked at: the path has led here already.
  const request = new Request('http://colophon/mcp', { method, headers })
  return handler.fetch(request, { parsedBody: body })
}
