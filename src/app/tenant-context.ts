import { hmacKey, hmacSha256 } from '../core/audit/digest.ts'
import type { ScanThreads } from '../ports/scan-threads.ts'
import type { Storage } from '../ports/storage.ts'
import type { System } from '../ports/system.ts'
import { loadRedaction, type RedactionState } from './redaction/redaction-state.ts'
import type { VaultAccess } from './redaction/vault-access.ts'

/** Cached data of one tenant that every write needs: its keyed digests and its redaction. */
export type TenantContext = {
  readonly tenantId: string
  readonly createdAt: number
  /** A short keyed digest, cached. The audit names refs and subjects by it. */
  readonly mac: (text: string) => string
  /** The full keyed digest of any other text; not cached. */
  readonly digest: (text: string) => string
  /** Secrets, rules and policy as loaded last; reloaded when a commit finds a newer version. */
  redaction: RedactionState
}

const contextsMax = 10_000
const macsMax = 10_000
/** 132 bits: collisions are not feasible, and a record takes half the bytes of the full digest. */
const macCharacters = 22
/** Of a SHA-256 in base64url. A ref of this length costs a digest each time. */
const rowDigestCharacters = 43

/** Returns the cached context of a tenant, and creates the tenant on its first write. */
export function createTenantContexts(
  storage: Storage,
  system: System,
  vault: VaultAccess | null,
  threads: ScanThreads,
) {
  const contexts = new Map<string, Promise<TenantContext>>()
  return function contextOf(tenantId: string): Promise<TenantContext> {
    const known = contexts.get(tenantId)
    if (known) return known
    if (contexts.size >= contextsMax) contexts.clear()
    const opening = openContext(storage, system, vault, threads, tenantId)
    contexts.set(tenantId, opening)
    // A failure, such as a database that is down, must not be cached.
    opening.catch(() => contexts.delete(tenantId))
    return opening
  }
}

async function openContext(
  storage: Storage,
  system: System,
  vault: VaultAccess | null,
  threads: ScanThreads,
  tenantId: string,
): Promise<TenantContext> {
  const { macKey, createdAt } = await storage.ensureTenant(tenantId, { macKey: system.newKey() }, system.now())
  const redaction = await loadRedaction(storage, vault, threads, tenantId)
  const key = hmacKey(macKey)
  return { tenantId, createdAt, mac: cachedMac(macKey), digest: (text) => hmacSha256(key, text), redaction }
}

/**
 * Most writes of a tenant name the same few refs, and a keyed digest costs more than a look-up in a map. The digest of a row is not kept: it
 * is not asked for again, and would push the refs out.
 */
export function cachedMac(macKey: Uint8Array): (text: string) => string {
  const key = hmacKey(macKey)
  const macs = new Map<string, string>()
  const toMac = (text: string) => hmacSha256(key, text).slice(0, macCharacters)
  return (text) => {
    if (text.length === rowDigestCharacters) return toMac(text)
    const known = macs.get(text)
    if (known !== undefined) return known
    if (macs.size >= macsMax) macs.clear()
    const mac = toMac(text)
    macs.set(text, mac)
    return mac
  }
}
