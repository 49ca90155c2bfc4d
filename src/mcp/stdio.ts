import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createMcpServer, type McpParts } from './server.ts'

/** MCP on standard input and output, until the input ends. */
export async function serveMcpOnStdio(parts: McpParts): Promise<void> {
  const input = process.stdin
  const ended = new Promise<void>((resolve) => {
    input.once('end', resolve)
    input.once('close', resolve)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  const handle = serveStdio(() => createMcpServer(parts))
  await ended
  await handle.close()
}
