import { limits } from '../../core/limits.ts'
import type { Failure } from '../../http/failure.ts'

export function toOpenWopError({ status, code, message, details }: Failure) {
  // A refused list of runs says how many one call may name, whatever is wrong with the list.
  const bulk = String(details.field).startsWith('runIds') ? { maxRunIds: limits.bulkCancelRunsMax } : {}
  return { status, body: { error: code, message, details: { ...details, ...bulk } } }
}
