import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createMcpServer, type McpParts } from './server.ts'
import { addSubscriptions, type ConnectionSubscriptions } from './subscriptions.ts'

/** MCP on standard input and output, until the input ends. */
export async function serveMcpOnStdio(parts: Omit<McpParts, 'canSubscribe'>): Promise<void> {
  const input = process.stdin
  const ended = new Promise<void>((resolve) => {
    input.once('end', resolve)
    input.once('close', resolve)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  let subscriptions: ConnectionSubscriptions | undefined
  let isListening = false
  const transport = new StdioServerTransport()
  const handle = serveStdio(
    () => {
      const server = createMcpServer({ ...parts, canSubscribe: true })
      if (parts.tools !== undefined) return server
      subscriptions = addSubscriptions(server, parts.client, parts.bound)
      if (isListening) void subscriptions.reportAll().catch(() => {})
      return server
    },
    { transport },
  )
  // The transport itself answers `subscriptions/listen`, and picks from all reported changes those that the client asked for. It
  // gets the request once the changes are followed.
  const receive = transport.onmessage
  transport.onmessage = (message) => {
    if (!('method' in message) || message.method !== 'subscriptions/listen') return receive?.(message)
    isListening = true
    const following = subscriptions?.reportAll().catch(() => {}) ?? Promise.resolve()
    void following.then(() => receive?.(message))
  }
  await ended
  await handle.close()
}
