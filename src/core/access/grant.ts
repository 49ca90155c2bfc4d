import { toInstant } from '../check.ts'
import { readerForbidden } from '../entries/readers.ts'
import { ColophonError } from '../errors.ts'
import type { Scope } from './scopes.ts'

/** The scopes and the lifetime of the calling key: the most that it can grant. */
export type Grantor = {
  readonly scopes: readonly Scope[]
  /** The reader that the calling key is bound to; null when it can grant any. */
  readonly reader: string | null
  /** When the calling key becomes invalid; null when it has no end. */
  readonly endsAt: number | null
}

type Grant = {
  readonly scopes: readonly Scope[]
  readonly reader: string | null
  readonly expiresAt: number | null
}

/** A key grants at most its own scopes, reader and lifetime. Otherwise a leaked key could gain scopes, and access after its revocation. */
export function checkGrant(grantor: Grantor, { scopes: granted, reader, expiresAt }: Grant): void {
  if (grantor.reader !== null && grantor.reader !== reader)
    throw readerForbidden('The key is bound to a reader: it grants only keys of the same reader.')
  const missing = granted.find((scope) => !grantor.scopes.includes(scope))
  if (missing !== undefined) {
    throw new ColophonError('forbidden', `The key lacks scope ${missing}: a key grants at most its own scopes.`, {
      details: { requiredScope: missing },
    })
  }
  if (grantor.endsAt === null || (expiresAt !== null && expiresAt <= grantor.endsAt)) return
  const max = toInstant(grantor.endsAt)
  throw new ColophonError('forbidden', `The key ends at ${max}: a key grants at most its own lifetime.`, {
    details: { field: 'expiresAt', max },
  })
}
