import { looksLikeToken, refuseToken } from '../../core/access/access-token.ts'
import { type ApiKey, hashKey, keyEnd, keyStatus, parseKey } from '../../core/access/api-key.ts'
import { type Scope, scopes } from '../../core/access/scopes.ts'
import { parseSession } from '../../core/access/session.ts'
import { tokenLimits } from '../../core/access/token-limits.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { TokenVerifier } from '../../ports/token-verifier.ts'
import type { Engine } from '../engine.ts'

/** The authenticated caller of a request. The tenant of a request is taken from here only. */
export type Principal = {
  readonly tenantId: string
  readonly keyId: string
  readonly scopes: readonly Scope[]
  /** The reader that the key is bound to; null when it reads for any. */
  readonly reader: string | null
  /** The session that the request came with, instead of the key itself. */
  readonly sessionId?: string
  /** When the key or the session ends, by expiry, revocation or rotation; null when no end is set. */
  readonly endsAt: number | null
  /** The name of the caller in audit records. */
  readonly actor: string
}

/** A key from the configuration instead of the database. It has every scope in its tenant. */
export type StaticKey = { readonly hash: string; readonly tenantId: string; readonly keyId: string }

const noSuchKey = '0'.repeat(64)
const keyCharactersMax = 1_024

/**
 * Makes the function that authenticates `Authorization: Bearer <key>` or `ApiKey <key>`, and access tokens of an OAuth issuer. Unknown, wrong and malformed keys get the same
 * error.
 */
export function createAuthenticator(
  engine: Engine,
  staticKeys: readonly StaticKey[],
  tokens: TokenVerifier | null = null,
) {
  const notedUses = new Map<string, number>()

  /** A request with the header is authenticated by it alone: a key that is not valid does not fall back to a session. */
  async function authenticate(authorization: string | undefined, session?: string): Promise<Principal> {
    if (authorization === undefined && session !== undefined) return authenticateSession(session)
    const key = readKey(authorization)
    if (key === null) throw new ColophonError('unauthenticated', 'An API key is needed.')
    const hash = hashKey(key)
    const configured = await authenticateConfigured(hash)
    if (configured !== null) return configured
    if (tokens !== null && looksLikeToken(key)) return authenticateToken(tokens, key)
    return authenticateStored(parseKey(key), hash)
  }

  async function authenticateConfigured(hash: string): Promise<Principal | null> {
    for (const known of staticKeys) {
      if (!engine.system.isSame(known.hash, hash)) continue
      if (!(await engine.credentials.isEnabled(known.tenantId)))
        throw new ColophonError('unauthenticated', 'The API key is not valid.')
      return toPrincipal(known.tenantId, known.keyId, { scopes, reader: null, endsAt: null })
    }
    return null
  }

  async function authenticateStored(named: KeyName | null, hash: string): Promise<Principal> {
    const found = named && (await engine.credentials.findKey(named.tenantId, named.keyId))
    if (!engine.system.isSame(found?.hash ?? noSuchKey, hash) || !named || !found) {
      throw new ColophonError('unauthenticated', 'The API key is not valid.')
    }
    const status = keyStatus(found, engine.instants.expiryNow(named.tenantId))
    if (status === 'revoked') throw new ColophonError('key_revoked', 'The API key was revoked.')
    if (status === 'expired') throw new ColophonError('key_expired', 'The API key has expired.')
    noteUse(named.tenantId, named.keyId)
    return toPrincipal(named.tenantId, named.keyId, { ...rightsOf(found), endsAt: keyEnd(found) })
  }

  /** A session has the rights that its key has now, and ends with it. Unknown, ended and malformed sessions get the same error. */
  async function authenticateSession(text: string): Promise<Principal> {
    const parsed = parseSession(text)
    const found = parsed && (await engine.credentials.findSession(parsed.tenantId, parsed.sessionId))
    const isRight = engine.system.isSame(found?.hash ?? noSuchKey, hashKey(text))
    if (!isRight || !parsed || !found || found.expiresAt <= engine.instants.expiryNow(parsed.tenantId))
      throw new ColophonError('unauthenticated', 'The session has ended: log in again.')
    const { tenantId } = parsed
    const { keyId, keyHash, sessionId, expiresAt } = found
    const principal =
      (await authenticateConfigured(keyHash)) ?? (await authenticateStored({ tenantId, keyId }, keyHash))
    // A key from the configuration may have been given to another tenant since.
    if (principal.tenantId !== tenantId)
      throw new ColophonError('unauthenticated', 'The session has ended: log in again.')
    return { ...principal, sessionId, endsAt: Math.min(expiresAt, principal.endsAt ?? expiresAt) }
  }

  async function authenticateToken(verifier: TokenVerifier, token: string): Promise<Principal> {
    const { tenantId, callerId, ...rights } = await verifier.verify(token)
    if (!(await engine.credentials.isEnabled(tenantId))) throw refuseToken()
    if (rights.endsAt !== null && rights.endsAt <= engine.instants.expiryNow(tenantId)) throw refuseToken('has expired')
    return toPrincipal(tenantId, callerId, rights)
  }

  /** Stores when the key was last used, at most once per interval. The request does not wait for it. */
  function noteUse(tenantId: string, keyId: string): void {
    const now = engine.system.now()
    if (now - (notedUses.get(keyId) ?? 0) < limits.keyUseNoteMs) return
    if (notedUses.size > limits.keysPerTenantMax * 10) notedUses.clear()
    notedUses.set(keyId, now)
    engine.storage.noteKeyUse(tenantId, keyId, now).catch(() => notedUses.delete(keyId))
  }

  return authenticate
}

/** The key in an `Authorization` header; null when it has none, or one that is too long. */
export function readKey(authorization: string | undefined): string | null {
  const key = /^(?:Bearer|ApiKey) +([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1] ?? ''
  const charactersMax = looksLikeToken(key) ? tokenLimits.tokenCharactersMax : keyCharactersMax
  return key === '' || key.length > charactersMax ? null : key
}

type KeyName = { readonly keyId: string; readonly tenantId: string }

type Rights = Pick<Principal, 'scopes' | 'reader' | 'endsAt'>

function rightsOf({ scopes: granted, reader }: ApiKey): Pick<Principal, 'scopes' | 'reader'> {
  return { scopes: granted, reader }
}

function toPrincipal(tenantId: string, keyId: string, rights: Rights): Principal {
  return { tenantId, keyId, ...rights, actor: `key:${keyId}` }
}
