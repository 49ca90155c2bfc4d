import { isRepeatedRefusal, toKeptRefusal } from '../core/commit/kept-refusal.ts'
import { type ColophonError, isColophonError } from '../core/errors.ts'
import type { CallFacts, WriteOptions } from './commit.ts'
import type { Tenant } from './tenant.ts'

/** Options of a write whose idempotency key also remembers refusals. A protocol says which of them are final. */
export type FinalWriteOptions = WriteOptions & { readonly isFinal?: (refusal: ColophonError) => boolean }

/**
 * Does the work of a call. A final refusal is stored under the idempotency key, in the place of an outcome: the first of both decides
 * all calls with the key, also of other processes.
 */
export async function withFinalRefusals<T>(
  tenant: Tenant,
  options: FinalWriteOptions & { readonly call: CallFacts },
  work: () => Promise<T>,
): Promise<T> {
  const { isFinal, idempotencyKey } = options
  if (isFinal === undefined || idempotencyKey === undefined) return work()
  try {
    return await work()
  } catch (error) {
    if (!isColophonError(error) || isRepeatedRefusal(error) || !isFinal(error)) throw error
    const { repeated } = await tenant.commit({ kind: 'memory.written', refusal: toKeptRefusal(error) }, options)
    if (!repeated) throw error
    // Another call with the key succeeded meanwhile, so this one is a repeat of it.
    return work()
  }
}
