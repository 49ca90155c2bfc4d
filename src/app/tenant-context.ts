import { hmacSha256 } from '../core/audit/digest.ts'
import type { ScanThreads } from '../ports/scan-threads.ts'
import type { Storage } from '../ports/storage.ts'
import type { System } from '../ports/system.ts'
import type { VaultAccess } from './redaction/open-vault.ts'
import { loadRedaction, type RedactionState } from './redaction/redaction-state.ts'

/** What every write of a tenant needs at hand. */
export type TenantContext = {
  readonly tenantId: string
  /** Keyed digest, short: the audit names refs and subjects by it. */
  readonly mac: (text: string) => string
  /** Keyed digest of anything else; not remembered. */
  readonly digest: (text: string) => string
  /** How texts are redacted; read again when a commit finds that it changed. */
  redaction: RedactionState
}

const contextsMax = 10_000
const macsMax = 10_000
/** 132 bits: far beyond what anybody could make collide, and half the bytes in every record. */
const macCharacters = 22

/** Makes the tenant on its first write and keeps what is needed of it. */
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
    // A failure (a database that is down) must not be remembered.
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
  const { macKey } = await storage.ensureTenant(tenantId, { macKey: system.newKey() }, system.now())
  const redaction = await loadRedaction(storage, vault, threads, tenantId)
  return { tenantId, mac: cachedMac(macKey), digest: (text) => hmacSha256(macKey, text), redaction }
}

/** The same few refs come again and again, and a keyed digest costs more than a look-up. */
export function cachedMac(key: Uint8Array): (text: string) => string {
  const macs = new Map<string, string>()
  return (text) => {
    const known = macs.get(text)
    if (known !== undefined) return known
    if (macs.size >= macsMax) macs.clear()
    const mac = hmacSha256(key, text).slice(0, macCharacters)
    macs.set(text, mac)
    return mac
  }
}
