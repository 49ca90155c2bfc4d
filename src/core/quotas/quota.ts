import { ColophonError, invalid } from '../errors.ts'
import { limits } from '../limits.ts'

/** What a tenant can have at most. The first three are stored; the others end by themselves. */
export const quotaNames = [
  'entries',
  'bytes',
  'keys',
  'streams',
  'runsPending',
  'jobsPending',
  'requestsInFlight',
] as const

export type QuotaName = (typeof quotaNames)[number]

export type Quotas = Readonly<Record<QuotaName, number>>

/** Null resets a quota to its default. */
export type QuotaChange = { readonly [Name in QuotaName]?: number | null | undefined }

/** The quotas of a tenant for which the operator has set none. */
export const defaultQuotas: Quotas = {
  entries: limits.quotaEntries,
  bytes: limits.quotaBytes,
  keys: limits.keysPerTenantMax,
  streams: limits.streamsPerTenantMax,
  runsPending: limits.quotaRunsPending,
  jobsPending: limits.quotaJobsPending,
  requestsInFlight: limits.quotaRequestsInFlight,
}

const units: Readonly<Record<QuotaName, string>> = {
  entries: 'entries',
  bytes: 'bytes',
  keys: 'active keys',
  streams: 'open streams',
  runsPending: 'runs that have not ended',
  jobsPending: 'jobs that have not ended',
  requestsInFlight: 'requests in flight',
}

const stored: ReadonlySet<QuotaName> = new Set<QuotaName>(['entries', 'bytes', 'keys'])

/** The error of a call that would exceed a quota. Stored things stay until a client deletes them, so a retry alone does not help. */
export function quotaExceeded(quota: QuotaName, used: number, limit: number): ColophonError {
  const code = stored.has(quota) ? 'storage_quota_exceeded' : 'quota_exceeded'
  return new ColophonError(code, `The quota ${quota} is used up: the tenant has ${used} of ${limit} ${units[quota]}.`, {
    details: { quota, used, limit },
  })
}

/** The quotas that the operator has set, after a change of some of them. */
export function changeQuotas(current: Partial<Quotas>, change: QuotaChange): Partial<Quotas> {
  const next: Partial<Record<QuotaName, number>> = { ...current }
  for (const name of quotaNames) {
    const value = change[name]
    if (value === undefined) continue
    if (value === null) delete next[name]
    else next[name] = checkQuota(name, value)
  }
  return next
}

function checkQuota(name: QuotaName, value: number): number {
  const max = limits.quotaMax
  if (Number.isSafeInteger(value) && value >= 0 && value <= max) return value
  throw invalid(name, `must be a whole number from 0 to ${max}`, { limit: 'quotaMax', max })
}
