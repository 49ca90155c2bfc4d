import { createMcpHandler } from '@modelcontextprotocol/server'
import { createClient } from '../client/index.ts'
import type { BoundRef } from './bound-ref.ts'
import { createInProcessFetch, type InProcessServer } from './inject-fetch.ts'
import { createMcpServer } from './server.ts'

/** One HTTP request of the MCP endpoint. */
export type McpRequest = {
  readonly method: string
  readonly headers: Headers
  readonly body: unknown
  readonly key: string
  readonly bound: BoundRef
  /** The writer that the connection names. */
  readonly service: string | undefined
  /** The reader that the request names. */
  readonly reader: string | undefined
  /** Trace headers: the requests of a tool belong to the trace of this request. */
  readonly trace: Readonly<Record<string, string>>
}

/**
 * MCP over streamable HTTP, without sessions: each request is complete, so any server of a cluster can process it. A tool
 * calls the API of the same server, with the key of the request.
 */
export async function handleMcpRequest(server: InProcessServer, version: string, call: McpRequest): Promise<Response> {
  const { method, headers, body, key, bound, service, reader, trace } = call
  // One attempt: the server is this process, and the MCP client can retry.
  const fetch = createInProcessFetch(server, trace)
  const client = createClient({ url: '', key, reader, fetch, wire: 'auto', retry: { retries: 0 } })
  const handler = createMcpHandler(() => createMcpServer({ client, bound, version, service }))
  // The URL is not used: the route has matched already.
  const request = new Request('http://colophon/mcp', { method, headers })
  return handler.fetch(request, { parsedBody: body })
}
