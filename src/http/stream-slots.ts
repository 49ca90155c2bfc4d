import type { Principal } from '../app/access/authenticate.ts'
import { ColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { quotaExceeded } from '../core/quotas/quota.ts'

/** The most streams that a key, and a tenant by its quota, may have open. */
export type StreamLimits = { readonly perKey: number; readonly perTenant: (tenantId: string) => number }

export type StreamSlot = { readonly tenantId: string; release(): void }

export type StreamSlots = {
  /** Takes a slot, or refuses it with the name of the limit. `release` may be called more than once. */
  take(principal: Pick<Principal, 'keyId' | 'tenantId'>): StreamSlot
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

  /** A class instead of functions, because a process has thousands of them. */
  class Slot implements StreamSlot {
    readonly tenantId: string
    readonly #keyId: string
    #isOpen = true

    constructor(tenantId: string, keyId: string) {
      this.tenantId = tenantId
      this.#keyId = keyId
      this.#count(1)
    }

    release(): void {
      if (!this.#isOpen) return
      this.#isOpen = false
      this.#count(-1)
    }

    #count(change: 1 | -1): void {
      open += change
      add(keys, `${this.tenantId} ${this.#keyId}`, change)
      add(tenants, this.tenantId, change)
    }
  }

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
      return new Slot(tenantId, keyId)
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
