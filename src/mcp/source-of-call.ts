import {
  CLIENT_INFO_META_KEY,
  type Implementation,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Client } from '../client/index.ts'
import { createSourceWriter, type SourceCall, type SourceWriter, toServiceKey } from '../client/source-writer.ts'
import type { McpSession } from './http-session.ts'

/** The member of a request's `_meta` with an id of the caller: a second call with the same id stores nothing. */
const eventMember = 'colophon/event'

/** A tool call that stores something: who stores it, and the source event. */
export type ToolCall = { readonly writer: SourceWriter; readonly call: SourceCall }

export type CallSource = { of(tool: string, context: ServerContext): ToolCall }

/** The writer is `service`, or that of the key, or named as the MCP client names itself. */
export function createCallSource(
  server: McpServer,
  client: Client,
  { service, session }: { readonly service?: string | undefined; readonly session: McpSession | null },
): CallSource {
  const writers = new Map<string, SourceWriter>()
  return {
    of(tool, context) {
      // Each request of the protocol of 2026 names its client; before, the handshake did, which over HTTP is another request.
      const envelope: Readonly<Record<string, unknown>> = context.mcpReq.envelope ?? {}
      const named = envelope[CLIENT_INFO_META_KEY] as Implementation | undefined
      const info = named ?? server.server.getClientVersion() ?? session?.client
      const name = toServiceKey(info?.name ?? 'mcp')
      const writer = writers.get(name) ?? createSourceWriter(client, { service }, name)
      writers.set(name, writer)
      const given = context.mcpReq._meta?.[eventMember]
      const scope = {
        ...(session === null ? {} : { session_id: session.id }),
        tool,
        tool_call_id: String(context.mcpReq.id),
        ...(info === undefined ? {} : { client: `${info.name}/${info.version}` }),
      }
      return { writer, call: { id: typeof given === 'string' && given !== '' ? given : crypto.randomUUID(), scope } }
    },
  }
}
