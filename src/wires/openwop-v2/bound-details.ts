import { isRepeatedRefusal, RepeatedRefusal } from '../../core/commit/kept-refusal.ts'
import { ColophonError, isColophonError } from '../../core/errors.ts'
import { bindId } from './ids.ts'

const runIdDetails = ['runId', 'activeRunId', 'sourceRunId'] as const

/** Names runs in the details of an error as version 2 does, with their tenant. */
export function bindErrorIds(tenantId: string) {
  return (error: unknown): never => {
    if (!isColophonError(error)) throw error
    const { code, message, details = {} } = error
    const named = runIdDetails.filter((name) => typeof details[name] === 'string')
    if (named.length === 0) throw error
    const bound = Object.fromEntries(named.map((name) => [name, bindId(tenantId, String(details[name]))]))
    const shown = { ...details, ...bound }
    if (isRepeatedRefusal(error)) throw new RepeatedRefusal({ code, message, details: shown })
    throw new ColophonError(code, message, { details: shown })
  }
}
