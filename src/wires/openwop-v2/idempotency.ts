import type { FastifyRequest } from 'fastify'
import type { WriteOptions } from '../../app/commit.ts'
import { v2Error } from './errors.ts'

/** No header has this character, so no key of version 1 begins with it. */
const namespace = '→'

const keyForm = /^[A-Za-z0-9._~-]{22,128}$/

/**
 * The options of a write: its actor, and its idempotency key. In version 2 a key belongs to one operation, so the same key can be used for
 * another one, and for version 1.
 */
export function writeOf(request: FastifyRequest, operation: string, actor: string): WriteOptions {
  const key = request.headers['idempotency-key']
  if (key === undefined) return { actor }
  if (typeof key !== 'string' || !keyForm.test(key))
    throw v2Error('idempotency_key_invalid', 'Idempotency-Key must be 22 to 128 letters, digits and . _ ~ -.', {
      field: 'Idempotency-Key',
      hint: 'Use 16 random bytes in base64url, which are 22 characters.',
    })
  return { actor, idempotencyKey: `${namespace}${operation}:${key}` }
}
