import { tokenLimits } from '../../core/access/token-limits.ts'
import { ColophonError } from '../../core/errors.ts'
import type { IssuerKey } from './signature.ts'

export type IssuerKeys = {
  /** The keys with this id, or all if the token names none. An unknown id makes the keys be read again, at most once per interval. */
  find(kid: string | undefined): Promise<IssuerKey[]>
}

/**
 * The public keys of the issuer, from the configured address only: nothing in a token decides what is read. Redirects are refused. If
 * the address does not answer, known keys stay valid for `issuerKeysStaleMs`.
 */
export function createIssuerKeys(url: string, now: () => number): IssuerKeys {
  let keys: IssuerKey[] = []
  let readAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  function read(): Promise<void> {
    triedAt = now()
    reading ??= fetchKeys(url)
      .then((found) => {
        keys = found
        readAt = triedAt
      })
      .finally(() => {
        reading = null
      })
    return reading
  }

  const matching = (kid: string | undefined) => (kid === undefined ? keys : keys.filter((key) => key.kid === kid))

  return {
    async find(kid) {
      const age = now() - readAt
      const isUnknown = matching(kid).length === 0
      const mayRead = now() - triedAt >= tokenLimits.issuerKeysRetryMs
      // A token whose key is known does not wait for what one with an invented key id made be read.
      const isNeeded = age >= tokenLimits.issuerKeysCacheMs || isUnknown
      if (isNeeded && (reading !== null || mayRead)) {
        await read().catch((cause: unknown) => {
          if (age < tokenLimits.issuerKeysStaleMs) return
          throw new ColophonError('token_issuer_unavailable', 'The keys of the token issuer cannot be read.', { cause })
        })
      } else if (age >= tokenLimits.issuerKeysStaleMs) {
        throw new ColophonError('token_issuer_unavailable', 'The keys of the token issuer cannot be read.')
      }
      return matching(kid)
    },
  }
}

async function fetchKeys(url: string): Promise<IssuerKey[]> {
  const signal = AbortSignal.timeout(tokenLimits.issuerKeysTimeoutMs)
  const response = await fetch(url, { redirect: 'error', signal, headers: { accept: 'application/json' } })
  if (!response.ok) throw new Error(`The issuer answered with status ${response.status}.`)
  const body = JSON.parse(await readLimited(response)) as { keys?: unknown }
  if (!Array.isArray(body.keys)) throw new Error('The response of the issuer has no list of keys.')
  return body.keys.filter((key): key is IssuerKey => typeof key === 'object' && key !== null)
}

async function readLimited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > tokenLimits.issuerKeysBytesMax) throw new Error('The response of the issuer is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
