import {
  callerIdOf,
  checkClaims,
  readerOf,
  refuseToken,
  ruleFor,
  type TokenClaims,
  type TokenRule,
} from '../../core/access/access-token.ts'
import { tokenLimits } from '../../core/access/token-limits.ts'
import type { TokenVerifier } from '../../ports/token-verifier.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import { canSign, isSignedBy } from './signature.ts'

export type TokenVerifierOptions = {
  readonly issuer: string
  /** The resource that tokens must be issued for. */
  readonly resource: string
  readonly keysUrl: string
  readonly rules: readonly TokenRule[]
  readonly now: () => number
  /** A monotonic clock: a system clock that is set back must not keep keys that the issuer has removed. */
  readonly elapsed: () => number
}

/** The types of access tokens; a token without one is accepted. */
const tokenTypes = ['jwt', 'at+jwt', 'application/at+jwt']

/** Verifies signed access tokens with the keys of one issuer. */
export function createTokenVerifier({
  issuer,
  resource,
  keysUrl,
  rules,
  now,
  elapsed,
}: TokenVerifierOptions): TokenVerifier {
  const issuerKeys = createIssuerKeys(keysUrl, elapsed)
  return {
    async verify(token) {
      const parts = token.split('.')
      const [head = '', body = '', signature = ''] = parts
      if (parts.length !== 3 || token.length > tokenLimits.tokenCharactersMax) throw refuseToken()
      const { alg, kid, typ, crit } = parsePart(head)
      const isType = typ === undefined || (typeof typ === 'string' && tokenTypes.includes(typ.toLowerCase()))
      // `crit` names extensions that must be understood; none is. Keys in the header (`jwk`, `jku`, `x5u`) are never used.
      if (typeof alg !== 'string' || !isType || crit !== undefined) throw refuseToken()
      const keys = await issuerKeys.find(typeof kid === 'string' ? kid : undefined)
      const bytes = Buffer.from(signature, 'base64url')
      const isSigned = keys.some((key) => canSign(key, alg) && isSignedBy(key, alg, `${head}.${body}`, bytes))
      if (!isSigned) throw refuseToken()
      const claims = parsePart(body)
      const endsAt = checkClaims(claims, issuer, resource, now())
      const rule = ruleFor(claims, rules)
      const { tenant: tenantId, scopes } = rule
      return { tenantId, scopes, reader: readerOf(claims, rule), callerId: callerIdOf(claims), endsAt }
    },
  }
}

function parsePart(part: string): TokenClaims {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as TokenClaims
  } catch {
    // Refused below.
  }
  throw refuseToken()
}
