import type { FastifyRequest } from 'fastify'
import type { FinalWriteOptions } from '../../app/final-refusals.ts'
import type { ColophonError } from '../../core/errors.ts'
import { statusOf, toV2Code, type V2Code } from './codes.ts'
import { v2Error } from './errors.ts'

/** No header has this character, so no key of version 1 begins with it. */
const namespace = '→'

const keyForm = /^[A-Za-z0-9._~-]{22,128}$/

/** Client errors that a key does not remember: the same call may get another response. `run_already_active` has `Retry-After`. */
const notFinal: readonly V2Code[] = [
  'validation_error',
  'idempotency_key_invalid',
  'idempotency_key_mismatch',
  'idempotency_in_flight',
  'run_already_active',
]
const notFinalStatuses: readonly number[] = [401, 403, 429]

/** Whether a refusal is the response to all calls with its key. */
function isFinal({ code, details }: Pick<ColophonError, 'code' | 'details'>): boolean {
  // What the first call stored is gone: its key remembers the success.
  if (code === 'content_erased') return false
  const shown = toV2Code(code, details)
  const status = statusOf[shown]
  return status < 500 && !notFinalStatuses.includes(status) && !notFinal.includes(shown)
}

/**
 * The options of a write: its actor, and its idempotency key. In version 2 a key belongs to one operation, so the same key can be used for
 * another one, and for version 1; and it remembers final refusals.
 */
export function writeOf(request: FastifyRequest, operation: string, actor: string): FinalWriteOptions {
  const key = request.headers['idempotency-key']
  if (key === undefined) return { actor }
  if (typeof key !== 'string' || !keyForm.test(key))
    throw v2Error('idempotency_key_invalid', 'Idempotency-Key must be 22 to 128 letters, digits and . _ ~ -.', {
      field: 'Idempotency-Key',
      hint: 'Use 16 random bytes in base64url, which are 22 characters.',
    })
  return { actor, isFinal, idempotencyKey: `${namespace}${operation}:${key}` }
}
