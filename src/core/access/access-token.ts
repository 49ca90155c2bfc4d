import { sha256 } from '../audit/digest.ts'
import { checkReader } from '../entries/readers.ts'
import { ColophonError, invalid } from '../errors.ts'
import { parseScopes, type Scope } from './scopes.ts'
import { tokenLimits } from './token-limits.ts'

/** Access tokens (JWT) of an OAuth issuer: which are valid, and what they grant. */

export type TokenClaims = Readonly<Record<string, unknown>>

/** Tokens with these claims belong to this tenant. The first rule that matches decides. */
export type TokenRule = {
  readonly claims: Readonly<Record<string, string>>
  readonly tenant: string
  readonly scopes: readonly Scope[]
  /** The claim whose value is the reader that the caller is bound to. */
  readonly reader?: string
}

/** Every JWT begins so: `{"` in base64url. No API key does. */
export function looksLikeToken(text: string): boolean {
  return text.startsWith('eyJ')
}

export function refuseToken(reason = 'is not valid'): ColophonError {
  return new ColophonError('unauthenticated', `The access token ${reason}.`)
}

/** Checks who issued the token, for whom, and when. Both clocks may differ by `tokenClockSkewMs`. Returns when it ends. */
export function checkClaims(claims: TokenClaims, issuer: string, audience: string, now: number): number {
  const { iss, aud, exp, nbf, iat, sub } = claims
  if (iss !== issuer) throw refuseToken('is of another issuer')
  if (aud !== audience && !(Array.isArray(aud) && aud.includes(audience))) throw refuseToken('is for another resource')
  if (typeof sub !== 'string' || sub === '') throw refuseToken('has no subject')
  if (!isSeconds(exp)) throw refuseToken('has no end')
  const endsAt = exp * 1_000 + tokenLimits.tokenClockSkewMs
  if (now >= endsAt) throw refuseToken('has expired')
  for (const start of [nbf, iat])
    if (start !== undefined && !(isSeconds(start) && start * 1_000 <= now + tokenLimits.tokenClockSkewMs))
      throw refuseToken('is not valid yet')
  return endsAt
}

/** The end of the year 9999: a later instant may be no date. */
const secondsMax = 253_402_300_799

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= secondsMax
}

/** The rule for a token. Without one, the token grants nothing. */
export function ruleFor(claims: TokenClaims, rules: readonly TokenRule[]): TokenRule {
  const rule = rules.find((candidate) =>
    Object.entries(candidate.claims).every(([name, wanted]) => hasValue(name, claims[name], wanted)),
  )
  if (rule === undefined) throw new ColophonError('forbidden', 'No rule gives this access token a tenant.')
  return rule
}

/** `scope` is a list of words by its standard; other texts are compared as a whole. */
function hasValue(name: string, value: unknown, wanted: string): boolean {
  if (Array.isArray(value)) return value.includes(wanted)
  if (name === 'scope' && typeof value === 'string') return value.split(' ').includes(wanted)
  return value === wanted
}

export function readerOf(claims: TokenClaims, { reader }: TokenRule): string | null {
  if (reader === undefined) return null
  const value = claims[reader]
  if (typeof value !== 'string') throw refuseToken(`has no claim ${reader}`)
  checkReader(reader, value)
  return value
}

/** The same person at the same issuer is the same caller, whatever the token. */
export function callerIdOf({ iss, sub }: TokenClaims): string {
  return `key_oauth_${sha256(JSON.stringify([iss, sub])).slice(0, 24)}`
}

/** Parses `COLOPHON_OAUTH_RULES`. */
export function parseTokenRules(json: string): TokenRule[] {
  const field = 'COLOPHON_OAUTH_RULES'
  const rules = parseJson(field, json)
  if (!Array.isArray(rules) || rules.length === 0) throw invalid(field, 'must be a list with at least one rule')
  return rules.map((rule: unknown, at) => {
    const where = `${field}[${at}]`
    if (typeof rule !== 'object' || rule === null) throw invalid(where, 'must be an object')
    const { claims = {}, tenant, scopes, reader, ...unknown } = rule as Record<string, unknown>
    const [extra] = Object.keys(unknown)
    if (extra !== undefined) throw invalid(where, `has the unknown member ${extra}`)
    if (!isTexts(claims)) throw invalid(`${where}.claims`, 'must be an object of texts')
    if (typeof tenant !== 'string' || tenant === '') throw invalid(`${where}.tenant`, 'must be the id of a tenant')
    if (reader !== undefined && typeof reader !== 'string') throw invalid(`${where}.reader`, 'must name a claim')
    return { claims, tenant, scopes: parseScopes(scopes), ...(reader === undefined ? {} : { reader }) }
  })
}

function parseJson(field: string, json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw invalid(field, 'must be JSON')
  }
}

function isTexts(value: unknown): value is Record<string, string> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((v) => typeof v === 'string')
  )
}
