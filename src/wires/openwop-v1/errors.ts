import type { Failure } from '../../http/failure.ts'

/** OpenWOP has its own name for one limit. */
export function toOpenWopError({ status, code, message, details }: Failure) {
  const named = details.limit === 'bulkCancelRunsMax' ? { ...details, maxRunIds: details.max } : details
  return { status, body: { error: code, message, details: named } }
}
