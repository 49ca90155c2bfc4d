import { createMcpHandler, type McpRequestContext, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { createClient } from '../client/index.ts'
import type { BoundRef } from './bound-ref.ts'
import { describeError } from './describe-error.ts'
import { newSession, readSession, sessionHeader } from './http-session.ts'
import { createInProcessFetch, type InProcessServer } from './inject-fetch.ts'
import { createMcpServer, type ToolSet } from './server.ts'
import { createListenEvents } from './subscriptions.ts'

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
  readonly tools: ToolSet | undefined
  /** Trace headers: the requests of a tool belong to the trace of this request. */
  readonly trace: Readonly<Record<string, string>>
}

/**
 * MCP over streamable HTTP, without sessions that a server keeps: each request is complete, so any server of a cluster can process it. A tool
 * calls the API of the same server, with the key of the request.
 */
export async function handleMcpRequest(server: InProcessServer, version: string, call: McpRequest): Promise<Response> {
  const { method, headers, body, key, bound, service, reader, trace, tools } = call
  // One attempt: the server is this process, and the MCP client can retry.
  const fetch = createInProcessFetch(server, trace)
  const client = createClient({ url: '', key, reader, fetch, wire: 'auto', retry: { retries: 0 } })
  // The protocol of 2025 needs a session to subscribe, and there are none.
  const session = readSession(headers)
  const serve = ({ era }: McpRequestContext) =>
    createMcpServer({ client, bound, version, service, tools, session, canSubscribe: era === 'modern' })
  // The URL is not used: the route has matched already.
  const request = new Request('http://colophon/mcp', { method, headers })
  const listenId = listenIdOf(body)
  if (listenId === null) {
    const response = await createMcpHandler(serve).fetch(request, { parsedBody: body })
    const begun = newSession(body)
    if (begun !== null && response.ok) response.headers.set(sessionHeader, begun)
    return response
  }
  const events = createListenEvents(client, bound, () => void handler.close())
  const handler = createMcpHandler(serve, { bus: events.bus })
  try {
    // Open before the acknowledgement, so that the client misses no change after it.
    await events.changes.start()
  } catch (error) {
    const refused = { code: ProtocolErrorCode.InternalError, message: describeError(error) }
    return Response.json({ jsonrpc: '2.0', id: listenId, error: refused })
  }
  const response = await handler.fetch(request, { parsedBody: body })
  if (!events.isUsed()) events.changes.stop()
  return response
}

/** The id of a request for a stream of notifications; null for other requests. */
function listenIdOf(body: unknown): string | number | null {
  const { method, id } = (body ?? {}) as { method?: unknown; id?: unknown }
  return method === 'subscriptions/listen' && (typeof id === 'string' || typeof id === 'number') ? id : null
}
