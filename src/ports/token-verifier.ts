import type { Scope } from '../core/access/scopes.ts'

/** What an access token of the configured issuer grants. */
export type TokenGrant = {
  readonly tenantId: string
  readonly scopes: readonly Scope[]
  readonly reader: string | null
  /** Names the caller in audit records and limits: a digest of issuer and subject. */
  readonly callerId: string
  readonly endsAt: number
}

/** Verifies access tokens (JWT). A token that is not valid is refused with `unauthenticated`. */
export interface TokenVerifier {
  verify(token: string): Promise<TokenGrant>
}
