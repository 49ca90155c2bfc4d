import type { Principal } from '../app/access/authenticate.ts'
import { ColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'

export type StreamLimits = { readonly perKey: number; readonly perTenant: number }

export type StreamSlots = {
  /** Counts a stream, or refuses it by the name of the limit. Called again, what it gives does nothing. */
  take(principal: Pick<Principal, 'keyId' | 'tenantId'>): { readonly release: () => void }
  /** Streams of a tenant that are open. */
  ofTenant(tenantId: string): number
}

/**
 * Streams and long polls each hold a connection, and a process has a limited number of them. A key and a tenant have a
 * limit each; and while few are left, they are kept for tenants that have few.
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
      if ((keys.get(key) ?? 0) >= perKey) throw tooMany('key', 'streamsPerKeyMax', perKey)
      if (own >= perTenant) throw tooMany('tenant', 'streamsPerTenantMax', perTenant)
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

function tooMany(scope: 'key' | 'tenant', limit: string, max: number): ColophonError {
  return new ColophonError('rate_limited', `This ${scope} has too many streams open: at most ${max}.`, {
    details: { scope, limit, max },
  })
}
