import type { Implementation } from '@modelcontextprotocol/server'

/** The connection that calls belong to: its id, and who the client said it is at the beginning. */
export type McpSession = { readonly id: string; readonly client?: Pick<Implementation, 'name' | 'version'> | undefined }

export const sessionHeader = 'mcp-session-id'

/** Of the name and of the version of a client. */
const nameCharactersMax = 128
/** Of a whole header, which a client could make itself: an id, and both names if JSON escapes each of their characters, in base64url. */
const headerCharactersMax = 2_100

/**
 * The session of a client of 2025, whose first request alone names it. The id says so itself, and no server keeps it: any server that
 * gets the next request can read it. Null for other requests. In the protocol of 2026 every request names its client, and none has a session.
 */
export function newSession(body: unknown): string | null {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { clientInfo?: unknown } }
  if (method !== 'initialize') return null
  const { name, version } = (params?.clientInfo ?? {}) as { name?: unknown; version?: unknown }
  if (typeof name !== 'string' || typeof version !== 'string') return null
  const client = [name, version].map((text) => text.slice(0, nameCharactersMax).toWellFormed())
  return `${crypto.randomUUID()}.${Buffer.from(JSON.stringify(client)).toString('base64url')}`
}

/** The session that a request names; null if it names none, or one of another server. */
export function readSession(headers: Headers): McpSession | null {
  const [id = '', text, ...more] = (headers.get(sessionHeader) ?? '').slice(0, headerCharactersMax).split('.')
  if (!/^[0-9a-f-]{36}$/.test(id) || text === undefined || more.length > 0) return null
  try {
    const [name, version] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[]
    return typeof name === 'string' && typeof version === 'string' ? { id, client: { name, version } } : null
  } catch {
    return null
  }
}
