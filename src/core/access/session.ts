import { invariant } from '../invariant.ts'
import { limits } from '../limits.ts'

/**
 * A session of the console, as it is stored. The browser has the text `cs_<id>.<tenant>.<secret>` in a cookie; only its SHA-256 is stored, as
 * with a key. It has no rights of its own: every request has those that its key has then.
 */
export type ConsoleSession = {
  readonly sessionId: string
  readonly keyId: string
  /** The hash of the key that opened it. A configured key whose text is replaced ends its sessions. */
  readonly keyHash: string
  readonly hash: string
  readonly createdAt: number
  readonly expiresAt: number
}

/** The text of a new session, which only the browser gets. */
export function formatSession(sessionId: string, tenantId: string, secret: string): string {
  const session = `${sessionId.replace('ses_', 'cs_')}.${tenantId}.${secret}`
  invariant(parseSession(session)?.tenantId === tenantId, 'a session that cannot be parsed back would never be found')
  return session
}

/** The id and the tenant in the text of a session; null when the text has not the form of a session. */
export function parseSession(text: string): { sessionId: string; tenantId: string } | null {
  const match = /^cs_([0-9a-f-]{36})\.([A-Za-z0-9][A-Za-z0-9._-]{0,63})\.[A-Za-z0-9_-]{43}$/.exec(text)
  return match?.[1] !== undefined && match[2] !== undefined
    ? { sessionId: `ses_${match[1]}`, tenantId: match[2] }
    : null
}

/**
 * Which sessions end when a key opens one more: the expired ones, then the oldest of the same key. So a key that opens many does not
 * log out others; in a tenant that is full in spite of that, the key with the most sessions gives one up. Sessions come oldest first.
 */
export function endedByOneMore(
  sessions: readonly ConsoleSession[],
  { keyId, now }: { readonly keyId: string; readonly now: number },
): readonly ConsoleSession[] {
  const ended = new Set(sessions.filter(({ expiresAt }) => expiresAt <= now))
  const ofKey = Map.groupBy(
    sessions.filter((session) => !ended.has(session)),
    (session) => session.keyId,
  )
  const own = ofKey.get(keyId) ?? []
  for (const session of own.splice(0, Math.max(0, own.length + 1 - limits.sessionsPerKeyMax))) ended.add(session)
  while (sessions.length - ended.size >= limits.sessionsPerTenantMax) {
    const [most] = [...ofKey.values()].sort((a, b) => b.length - a.length)
    const oldest = most?.shift()
    invariant(oldest !== undefined, 'a full tenant has a session to end')
    ended.add(oldest)
  }
  return [...ended]
}
