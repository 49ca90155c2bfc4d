import { configuredKeyIds, hashKey, parseKey } from '../../core/access/api-key.ts'
import { type ConsoleSession, endedByOneMore, formatSession } from '../../core/access/session.ts'
import type { AdminRecord } from '../../core/admin.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Tenant } from '../tenant.ts'

/** The key that opens a session: its text and its id, as they were authenticated. */
type OpeningKey = { readonly key: string; readonly keyId: string; readonly endsAt: number | null }

/** A new session. `text` goes into the cookie, once: only its hash is stored. */
export type OpenedSession = { readonly text: string; readonly expiresAt: number }

/** Opens a session with a key. In the same commit, expired sessions of the tenant are removed, and those that are too many. */
export async function openSession(
  tenant: Tenant,
  { key, keyId, endsAt }: OpeningKey,
  options: WriteOptions = {},
): Promise<OpenedSession> {
  if (parseKey(key) === null && !configuredKeyIds.has(keyId))
    throw new ColophonError('key_required', 'Only an API key opens a session. An access token does not.')
  const now = tenant.expiryNow()
  const createdAt = tenant.now()
  const sessionId = tenant.system.newId('ses')
  const text = formatSession(sessionId, tenant.id, tenant.system.newSecret())
  // From the clock, not from the last record: a session never lasts longer than it may, also where a record is from the future.
  const expiresAt = Math.min(createdAt + limits.sessionMs, endsAt ?? Number.MAX_SAFE_INTEGER)
  if (expiresAt <= now)
    throw new ColophonError(
      'clock_behind',
      'The clock of the server is behind the records of the tenant: no session can begin.',
    )
  const facts = { keyId, createdAt, expiresAt }
  const body = { text: {}, facts, sealed: { hash: hashKey(text), keyHash: hashKey(key) } }
  const opened = { kind: 'session', id: sessionId, body, expects: 0 } as const
  return decideAndCommit(async () => {
    const ended = endedByOneMore(await sessionsOf(tenant), { keyId, now })
    // Each is still there, so calls at the same time do not count the same one as room for two.
    const removed = ended.map((session) => ({ ...removal(session), expects: 1 }))
    const capacities = [{ of: { records: 'session' }, max: limits.sessionsPerTenantMax + removed.length }] as const
    const change = { kind: 'admin.session.created', admin: [opened, ...removed], capacities } as const
    await tenant.commit(change, { ...options, call: { operation: 'sessions.open', sessionId } })
    return { text, expiresAt }
  })
}

/** Ends a session: requests with it are refused from now on. */
export async function endSession(tenant: Tenant, sessionId: string, options: WriteOptions = {}): Promise<void> {
  const change = { kind: 'admin.session.ended', admin: [removal({ sessionId })] } as const
  await tenant.commit(change, { ...options, call: { operation: 'sessions.end', sessionId } })
}

/** Ends all sessions of a tenant. A restored backup may have sessions that were ended after it was made. */
export async function endAllSessions(tenant: Tenant): Promise<number> {
  for (let ended = 0; ; ) {
    const sessions = await sessionsOf(tenant)
    if (sessions.length === 0) return ended
    const change = { kind: 'admin.session.ended', admin: sessions.map(removal) } as const
    await tenant.commit(change, { call: { operation: 'sessions.end-all' } })
    ended += sessions.length
  }
}

/** The sessions of a tenant, oldest first: their ids are in the order of creation. */
async function sessionsOf(tenant: Tenant): Promise<readonly ConsoleSession[]> {
  const limit = limits.sessionsPerTenantMax
  const page = { tenantId: tenant.id, kind: 'session', after: null, limit } as const
  return (await tenant.storage.records(page)).map(toSession)
}

function removal({ sessionId }: Pick<ConsoleSession, 'sessionId'>) {
  return { kind: 'session', id: sessionId, body: null, expects: null } as const
}

type SessionFacts = Pick<ConsoleSession, 'keyId' | 'createdAt' | 'expiresAt'>

/** The session that a record stores. */
export function toSession({ id, body }: AdminRecord): ConsoleSession {
  const facts = body.facts as SessionFacts
  return { ...facts, sessionId: id, hash: body.sealed.hash ?? '', keyHash: body.sealed.keyHash ?? '' }
}
