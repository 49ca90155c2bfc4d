import type { Principal } from '../../app/access/authenticate.ts'
import { createWriter, listWriters } from '../../app/provenance/writers.ts'
import type { Tenant } from '../../app/tenant.ts'
import { sha256 } from '../../core/audit/digest.ts'
import { canonicalJson } from '../../core/canonical.ts'
import { ColophonError, isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { isBoundTo } from '../../core/provenance/writer.ts'

/** The writer of memories that come through this wire with a key that is bound to no writer. */
const fallback = 'mem0'

/**
 * The service of an event: null for the writer that the key is bound to, otherwise `mem0`. It is registered at first use, with
 * the authority of a call without a source, if the key may register writers.
 */
export async function serviceOf(tenant: Tenant, { keyId, actor, scopes, reader }: Principal): Promise<string | null> {
  const writers = await listWriters(tenant)
  if (writers.some((writer) => writer.isActive && isBoundTo(writer, keyId))) return null
  if (writers.some(({ serviceKey }) => serviceKey === fallback)) return fallback
  if (!scopes.includes('memory:admin') || reader !== null)
    throw new ColophonError(
      'writer_invalid',
      `The writer ${fallback} is not registered, and this key cannot register it. Register it once (colophon writers add ${fallback}), or bind a writer to this key.`,
      { details: { field: 'source.service' } },
    )
  await createWriter(
    tenant,
    { serviceKey: fallback, authorityRules: { defaultPriority: 0, categories: {} } },
    { actor },
  ).catch((error: unknown) => {
    // Another request was faster.
    if (!isColophonError(error, 'service_key_exists')) throw error
  })
  return fallback
}

/**
 * The id of an event. A second call with the same idempotency key, or with the same instant and content, is a retry of the first.
 * Without either, each call is an event of its own: a person may say the same thing twice.
 */
export function eventIdOf(
  body: { readonly timestamp?: unknown },
  { idempotencyKey, requestId }: { readonly idempotencyKey?: string | undefined; readonly requestId: string },
): string {
  if (idempotencyKey !== undefined && idempotencyKey.length <= limits.eventIdCharactersMax) return idempotencyKey
  if (idempotencyKey !== undefined) return `sha256:${sha256(idempotencyKey)}`
  return body.timestamp === undefined ? requestId : `sha256:${sha256(canonicalJson(body))}`
}
