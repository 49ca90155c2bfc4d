import type { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createResourceChanges } from './resource-changes.ts'
import { createMcpServer, type McpParts } from './server.ts'
import { addSubscriptions } from './subscriptions.ts'

/** MCP on standard input and output, until the input ends. */
export async function serveMcpOnStdio(parts: Omit<McpParts, 'canSubscribe' | 'session'>): Promise<void> {
  const input = process.stdin
  const ended = new Promise<void>((resolve) => {
    input.once('end', resolve)
    input.once('close', resolve)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  let server: McpServer | undefined
  const session = { id: crypto.randomUUID() }
  const changes = createResourceChanges(parts.client, parts.bound, {
    updated: (uri) => void server?.server.sendResourceUpdated({ uri }).catch(() => {}),
  })
  const transport = new StdioServerTransport()
  const handle = serveStdio(
    () => {
      server = createMcpServer({ ...parts, session, canSubscribe: true })
      if (parts.tools !== 'server-memory') addSubscriptions(server, parts.client, parts.bound)
      return server
    },
    { transport },
  )
  // The transport itself answers `subscriptions/listen`, and picks from all reported changes those that the client asked for. It
  // gets the request once the changes are followed, also if it is the first of the connection.
  const receive = transport.onmessage
  transport.onmessage = (message) => {
    const isListen = 'method' in message && message.method === 'subscriptions/listen' && parts.tools !== 'server-memory'
    if (!isListen) return receive?.(message)
    void changes
      .start()
      .catch(() => {})
      .then(() => receive?.(message))
  }
  await ended
  changes.stop()
  await handle.close()
}
