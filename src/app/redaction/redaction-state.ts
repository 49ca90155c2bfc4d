import { limits } from '../../core/limits.ts'
import type { OperatorRule } from '../../core/redaction/operator-rules.ts'
import type { RedactionPolicy } from '../../core/redaction/redaction.ts'
import type { TenantScanners } from '../../core/redaction/tenant-scanners.ts'
import { defaultSettings, type TenantSettings } from '../../core/settings.ts'
import type { ScanThreads } from '../../ports/scan-threads.ts'
import type { Storage } from '../../ports/storage.ts'
import type { Engine } from '../engine.ts'
import type { Tenant } from '../tenant.ts'
import type { TenantContext } from '../tenant-context.ts'
import { openSecrets, type VaultAccess } from './open-vault.ts'
import { createRedactor } from './redactor.ts'

/** How a tenant's texts are redacted, and the version of secrets, rules and policy that this was made from. */
export type RedactionState = {
  readonly version: number
  readonly policy: RedactionPolicy
  /** Ids that may stand in a marker, beside those of the host. */
  readonly markerIds: readonly string[]
  /** Bytes of all secrets together. */
  readonly vaultBytes: number
  /** Those of one secret; none if there is no such secret. */
  bytesOf(secretId: string): number | undefined
  /**
   * Runs a piece of work that scans texts, without holding up the event loop: what takes long is scanned by threads. The
   * work may run more than once, so it changes nothing outside of it. At once, and no promise, when nothing takes long.
   */
  redact<T>(work: (scanners: TenantScanners) => T): T | Promise<T>
}

/** Reads the version first: what changes while the rest is read makes the commit fail, and this is read again. */
export async function loadRedaction(
  storage: Storage,
  vault: VaultAccess | null,
  threads: ScanThreads,
  tenantId: string,
): Promise<RedactionState> {
  const clock = await storage.clock(tenantId)
  const [secrets, rules, settings] = await Promise.all([
    openSecrets(storage, vault, tenantId),
    loadRules(storage, tenantId),
    loadSettings(storage, tenantId),
  ])
  const version = clock?.redactionVersion ?? 1
  return { version, policy: settings.redactionPolicy, ...createRedactor(threads, tenantId, { secrets, rules }) }
}

export async function loadRules(storage: Storage, tenantId: string): Promise<OperatorRule[]> {
  const records = await storage.records({ tenantId, kind: 'rule', after: null, limit: limits.rulesPerTenantMax })
  return records.map(({ id, body }) => ({
    id,
    pattern: body.sealed.pattern ?? '',
    ...(body.text as { description?: string }),
  }))
}

export async function loadSettings(storage: Storage, tenantId: string): Promise<TenantSettings> {
  const record = await storage.record(tenantId, 'settings', 'tenant')
  const stored = record?.body.facts as Partial<TenantSettings> | undefined
  const compaction = { ...defaultSettings.compaction, ...stored?.compaction }
  return { ...defaultSettings, ...stored, compaction }
}

/** The tenant's context with the redaction of this moment: for texts that no commit will check against its version. */
export async function freshContext(tenant: Tenant): Promise<TenantContext> {
  const context = await tenant.context()
  await refreshRedaction(tenant.engine, context)
  return context
}

/** True when secrets, rules or the policy had changed. */
export async function refreshRedaction(engine: Engine, context: TenantContext): Promise<boolean> {
  const clock = await engine.storage.clock(context.tenantId)
  if (clock === null || clock.redactionVersion === context.redaction.version) return false
  context.redaction = await loadRedaction(engine.storage, engine.vault, engine.scanThreads, context.tenantId)
  return true
}
