import { combineScanners } from '../core/combine-scanners.ts'
import { createKnownValueScanner } from '../core/known-values.ts'
import { limits } from '../core/limits.ts'
import { createOperatorScanner, type OperatorRule } from '../core/operator-rules.ts'
import type { RedactionPolicy } from '../core/redaction.ts'
import { type ExplainsMarker, explainsWith } from '../core/rules/marker-ids.ts'
import type { Scanner } from '../core/scanner.ts'
import { createPatternScanner } from '../core/secret-patterns.ts'
import { defaultSettings, type TenantSettings } from '../core/settings.ts'
import type { Storage } from '../ports/storage.ts'
import type { Engine } from './engine.ts'
import { openSecrets, type VaultAccess } from './open-vault.ts'
import type { Tenant } from './tenant.ts'
import type { TenantContext } from './tenant-context.ts'

/** How a tenant's texts are redacted, and the version of secrets, rules and policy that this was made from. */
export type RedactionState = {
  readonly version: number
  readonly scan: Scanner
  /** Secrets and built-in patterns only: a broad rule of the operator must not refuse the names of administration. */
  readonly scanNames: Scanner
  readonly policy: RedactionPolicy
  readonly explains: ExplainsMarker
}

/** Reads the version first: what changes while the rest is read makes the commit fail, and this is read again. */
export async function loadRedaction(
  storage: Storage,
  vault: VaultAccess | null,
  tenantId: string,
): Promise<RedactionState> {
  const clock = await storage.clock(tenantId)
  const [secrets, rules, settings] = await Promise.all([
    openSecrets(storage, vault, tenantId),
    loadRules(storage, tenantId),
    loadSettings(storage, tenantId),
  ])
  const explains = explainsWith([...secrets, ...rules].map(({ id }) => id))
  const known = secrets.length > 0 ? [createKnownValueScanner(secrets, explains)] : []
  const scanNames = combineScanners(...known, createPatternScanner(explains))
  const scan = rules.length > 0 ? combineScanners(scanNames, createOperatorScanner(rules, explains)) : scanNames
  const version = clock?.redactionVersion ?? 1
  return { version, scan, scanNames, policy: settings.redactionPolicy, explains }
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
  context.redaction = await loadRedaction(engine.storage, engine.vault, context.tenantId)
  return true
}
