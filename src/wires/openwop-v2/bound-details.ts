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
    throw new ColophonError(code as ConstructorParameters<typeof ColophonError>[0], message, {
      details: { ...details, ...bound },
    })
  }
}
