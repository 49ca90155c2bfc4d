import type { Principal } from '../app/access/authenticate.ts'
import { ColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { quotaExceeded } from '../core/quotas/quota.ts'

/** The most streams that a key, and a tenant by its quota, may have open. */
export type StreamLimits = { readonly perKey: number; readonly perTenant: (tenantId: string) => number }

export type StreamSlots = {
  /** Takes a slot, or refuses it with the name of the limit. `release` may be called more than once. */
  take(principal: Pick<Principal, 'keyId' | 'tenantId'>): { readonly release: () => void }
  /** The number of open streams of a tenant. */
  ofTenant(tenantId: string): number
}

/**
 * Limits open streams and long polls per key, per tenant and per process, because each occupies a connection. The last slots of a
 * process are reserved for tenants with few streams.
 */
export function createStreamSlots(
  { perKey, perTenant }: StreamLimits,
  streamsMax: number = limits.streamsMax,
): StreamSlots {
  const keys = new Map<string, number>()
  const tenants = new Map<string, number>()
  let open = 0
  return {
    ofTenant: (tenantId) => tenants.get(tenantId) ?? 0,
    take({ keyId, tenantId }) {
      const key = `${tenantId} ${keyId}`
      const own = tenants.get(tenantId) ?? 0
      if ((keys.get(key) ?? 0) >= perKey) throw tooManyOfKey(perKey)
      const quota = perTenant(tenantId)
      if (own >= quota) throw quotaExceeded('streams', own, quota)
      const isKept = open >= streamsMax - limits.streamsKeptForOthers && own >= limits.streamsOfSmallTenant
      if (open >= streamsMax || isKept) {
        const details = { limit: 'streamsMax', max: streamsMax }
        throw new ColophonError('overloaded', 'Too many streams are open in this process.', { details })
      }
      open += 1
      add(keys, key, 1)
      add(tenants, tenantId, 1)
      let isOpen = true
      return {
        release() {
          if (!isOpen) return
          isOpen = false
          open -= 1
          add(keys, key, -1)
          add(tenants, tenantId, -1)
        },
      }
    },
  }
}

function add(counts: Map<string, number>, name: string, change: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + change
  if (count === 0) counts.delete(name)
  else counts.set(name, count)
}

function tooManyOfKey(max: number): ColophonError {
  return new ColophonError('rate_limited', `This key has too many streams open: at most ${max}.`, {
    details: { scope: 'key', limit: 'streamsPerKeyMax', max },
  })
}
