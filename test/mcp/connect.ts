import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Env } from '../support/server.ts'
import { cleanEnv, mainProgram } from '../support/server-process.ts'

/** A real MCP client, and the shortest way to what a tool says. */
export type Connected = AsyncDisposable & {
  readonly client: Client
  call(
    name: string,
    args?: Record<string, unknown>,
  ): Promise<{ text: string; isError: boolean; structured: Structured }>
}

// biome-ignore lint/suspicious/noExplicitAny: the test decides the shape of a result, and checks it.
type Structured = any

export type Place = {
  readonly ref?: string
  readonly subject?: string
  readonly service?: string
  readonly tools?: string
  readonly readers?: string
}

/** Which protocol the client speaks: the one of 2025 with its handshake, or exactly the one of 2026. */
export type Protocol = 'legacy' | { readonly pin: '2026-07-28' }

async function wrap(transport: Parameters<Client['connect']>[0], mode: Protocol): Promise<Connected> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  return {
    client,
    async call(name, args = {}) {
      const result = (await client.callTool({ name, arguments: args })) as {
        content: { type: string; text: string }[]
        isError?: boolean
        structuredContent?: Structured
      }
      const { structuredContent: structured } = result
      return { text: result.content.map(({ text }) => text).join('\n'), isError: result.isError === true, structured }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

export function connectHttp(
  url: string,
  key: string,
  place: Place = {},
  mode: Protocol = 'legacy',
  further: Env = {},
): Promise<Connected> {
  const address = new URL(`/mcp?${new URLSearchParams(place)}`, url)
  return wrap(
    new StreamableHTTPClientTransport(address, {
      requestInit: { headers: { authorization: `Bearer ${key}`, ...further } },
    }),
    mode,
  )
}

/** Starts the real program, as desktop clients do. */
export function connectStdio(
  args: readonly string[],
  env: Env,
  onLog: (line: string) => void = () => {},
  mode: Protocol = 'legacy',
): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [mainProgram, 'mcp', ...args],
    env: cleanEnv(env) as Record<string, string>,
    stderr: 'pipe',
  })
  transport.stderr?.on('data', (chunk: Buffer) => onLog(String(chunk)))
  return wrap(transport, mode)
}

/** The lines of the marked place: what is stored, and nothing else. */
export function dataOf(text: string): Record<string, unknown>[] {
  const lines = text.split('\n')
  const [from, to] = [lines.findIndex((line) => line.startsWith('<memory-data ')), lines.indexOf('</memory-data>')]
  return lines.slice(from + 1, to).map((line) => JSON.parse(line) as Record<string, unknown>)
}
