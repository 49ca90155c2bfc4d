import { limits } from '../../core/limits.ts'
import type { Failure } from '../../http/error-response.ts'

/** The error envelope of OpenWOP. */
export function toOpenWopError({ status, code, message, details }: Failure) {
  // An error about `runIds` always has the maximum number of runs.
  const bulk = String(details.field).startsWith('runIds') ? { maxRunIds: limits.bulkCancelRunsMax } : {}
  return { status, body: { error: code, message, details: { ...details, ...bulk } } }
}
