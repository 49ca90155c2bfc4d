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
import { createRedactor } from './redactor.ts'
import { openSecrets, type VaultAccess } from './vault-access.ts'

/** The redactor of a tenant, and the version of the secrets, rules and policy that it was loaded from. */
export type RedactionState = {
  readonly version: number
  readonly policy: RedactionPolicy
  /** Ids of secrets and rules that can occur in a marker, in addition to the built-in ones. */
  readonly markerIds: readonly string[]
  /** Total bytes of all secrets. */
  readonly vaultBytes: number
  /** Bytes of one secret; undefined if there is no such secret. */
  bytesOf(secretId: string): number | undefined
  /**
   * Runs a function that scans texts, without blocking the event loop: long texts are scanned by worker threads. The function may be
   * called more than once, so it must have no side effects. The result is no promise when all texts are short.
   */
  redact<T>(work: (scanners: TenantScanners) => T): T | Promise<T>
}

/**
 * Loads secrets, rules and policy of a tenant. The version is read first. If something changes while the rest is read, the commit is
 * refused as stale, and the redaction is loaded again.
 */
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

/** The settings of a tenant. Members that were never stored have their defaults. */
export async function loadSettings(storage: Storage, tenantId: string): Promise<TenantSettings> {
  const record = await storage.record(tenantId, 'settings', 'tenant')
  const stored = record?.body.facts as Partial<TenantSettings> | undefined
  const compaction = { ...defaultSettings.compaction, ...stored?.compaction }
  return { ...defaultSettings, ...stored, compaction }
}

/** The context of a tenant with its newest redaction: for texts that no commit will check against the redaction version. */
export async function freshContext(tenant: Tenant): Promise<TenantContext> {
  const context = await tenant.context()
  await refreshRedaction(tenant.engine, context)
  return context
}

/** Reloads the redaction if its version has changed. Returns whether it had. */
export async function refreshRedaction(engine: Engine, context: TenantContext): Promise<boolean> {
  const clock = await engine.storage.clock(context.tenantId)
  if (clock === null || clock.redactionVersion === context.redaction.version) return false
  context.redaction = await loadRedaction(engine.storage, engine.vault, engine.scanThreads, context.tenantId)
  return true
}
