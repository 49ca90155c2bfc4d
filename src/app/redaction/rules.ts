import { toInstant } from '../../core/check.ts'
import { invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { checkRuleId, checkRulesSize, type OperatorRule } from '../../core/redaction/operator-rules.ts'
import { refuseSecrets } from '../../core/redaction/scanner.ts'
import type { TenantScanners } from '../../core/redaction/tenant-scanners.ts'
import { changeSettings, type SettingsChange, type TenantSettings } from '../../core/settings.ts'
import type { WriteOptions } from '../commit.ts'
import { scheduleCompaction } from '../compaction/compaction-schedule.ts'
import { scheduleConsolidation } from '../consolidation/consolidation-schedule.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { reresolveAllJob } from '../provenance/reresolve.ts'
import { requireCapability } from '../require-capability.ts'
import type { Tenant } from '../tenant.ts'
import { freshContext, loadRules, loadSettings } from './redaction-state.ts'
import { createRedactor } from './redactor.ts'

export type RuleView = OperatorRule & { readonly updatedAt: string }

export type RuleDraft = { readonly pattern: string; readonly description?: string | undefined }

/** Lists the operator rules of a tenant, ordered by id. */
export async function listRules(tenant: Tenant): Promise<RuleView[]> {
  const records = await tenant.storage.records({
    tenantId: tenant.id,
    kind: 'rule',
    after: null,
    limit: limits.rulesPerTenantMax,
  })
  return records.map(({ id, body, updatedAt }) => ({
    id,
    pattern: body.sealed.pattern ?? '',
    ...(body.text as { description?: string }),
    updatedAt: toInstant(updatedAt),
  }))
}

/** Stores an operator rule, or replaces it. New writes are redacted by it; stored texts are redacted by a redaction pass. */
export async function putRule(
  tenant: Tenant,
  id: string,
  { pattern, description }: RuleDraft,
  options: WriteOptions = {},
): Promise<{ readonly rule: OperatorRule; readonly repeated: boolean }> {
  checkRuleId(id)
  const text = description === undefined ? {} : { description }
  const rule = { id, pattern, ...text }
  // A pattern is returned by reads, so it must not contain a secret. It cannot be redacted, because that would change what it matches.
  const { redaction } = await freshContext(tenant)
  await redaction.redact(({ scanNames }) => refuseSecrets({ pattern }, scanNames))
  const known = await loadRules(tenant.storage, tenant.id)
  if (known.length >= limits.rulesPerTenantMax && !known.some((other) => other.id === id)) {
    throw invalid('rules', `must be at most ${limits.rulesPerTenantMax} per tenant`, {
      limit: 'rulesPerTenantMax',
      max: limits.rulesPerTenantMax,
    })
  }
  checkRulesSize([...known.filter((other) => other.id !== id), rule])
  const change = { kind: 'rule', id, body: { text, sealed: { pattern } }, expects: null } as const
  const { repeated } = await tenant.commit(
    { kind: 'admin.rule.put', admin: [change], changesRedaction: true },
    { ...options, call: { operation: 'rules.put', ...rule } },
  )
  const stored = (await listRules(tenant)).find((other) => other.id === id)
  return {
    rule: stored
      ? {
          id: stored.id,
          pattern: stored.pattern,
          ...(stored.description === undefined ? {} : { description: stored.description }),
        }
      : rule,
    repeated,
  }
}

export async function removeRule(
  tenant: Tenant,
  id: string,
  options: WriteOptions = {},
): Promise<{ readonly deleted: boolean; readonly repeated: boolean }> {
  const change = { kind: 'rule', id: String(id), body: null, expects: null } as const
  const { outcome, repeated } = await tenant.commit(
    { kind: 'admin.rule.removed', admin: [change], changesRedaction: true },
    { ...options, call: { operation: 'rules.remove', id: String(id) } },
  )
  return { deleted: outcome.admin.length > 0, repeated }
}

/** Redacts a text with the tenant's redactor, and with one more rule that is not stored yet. Stores nothing. */
export async function tryRedaction(tenant: Tenant, text: string, pattern?: string) {
  const { redaction } = await freshContext(tenant)
  const rule = { id: 'tried-rule', pattern: pattern ?? '' }
  if (pattern !== undefined) checkRulesSize([...(await loadRules(tenant.storage, tenant.id)), rule])
  const tried =
    pattern === undefined
      ? null
      : createRedactor(tenant.engine.scanThreads, tenant.id, {
          secrets: [],
          rules: [rule],
          markerIds: redaction.markerIds,
        })
  const scanWhole = ({ scan }: TenantScanners, whole: string) => {
    const hits: string[] = []
    return { text: scan(whole, (name) => hits.push(name)), hits }
  }
  // The tenant's own redaction runs first, so the response has no secret whatever the tried rule matches.
  const own = await redaction.redact((scanners) => scanWhole(scanners, text))
  const last = tried === null ? own : await tried.redact((scanners) => scanWhole(scanners, own.text))
  const counts = new Map<string, number>()
  for (const name of tried === null ? own.hits : [...own.hits, ...last.hits])
    counts.set(name, (counts.get(name) ?? 0) + 1)
  return { text: last.text, hits: [...counts].map(([name, count]) => ({ rule: name, count })) }
}

/** Reads the settings of a tenant. */
export async function readSettings(tenant: Tenant): Promise<TenantSettings> {
  return loadSettings(tenant.storage, tenant.id)
}

/** Changes settings of a tenant. Members that the change leaves out keep their value. */
export async function writeSettings(
  tenant: Tenant,
  change: SettingsChange,
  options: WriteOptions = {},
): Promise<{ readonly settings: TenantSettings; readonly repeated: boolean }> {
  return decideAndCommit(async () => {
    const record = await tenant.storage.record(tenant.id, 'settings', 'tenant')
    const current = await loadSettings(tenant.storage, tenant.id)
    const next = changeSettings(current, change)
    // Settings are not redacted, so they must not contain a secret.
    const { tags, skipTags } = next.compaction
    const { redaction } = await freshContext(tenant)
    await redaction.redact(({ scanNames }) => {
      for (const tag of [...tags, ...skipTags]) refuseSecrets({ 'compaction.tags': tag }, scanNames)
      refuseSecrets({ commitmentWorkflow: next.commitmentWorkflow }, scanNames)
    })
    // Before the commit: a pass without work is harmless, but an enabled setting without a schedule would have no effect.
    if (next.compaction.enabled) {
      requireCapability(tenant, 'compaction')
      await scheduleCompaction(tenant)
    }
    if (next.consolidationEnabled) {
      requireCapability(tenant, 'consolidation')
      await scheduleConsolidation(tenant)
    }
    const body = { text: {}, facts: next, sealed: {} }
    const batch = {
      kind: 'admin.settings.changed',
      admin: [{ kind: 'settings', id: 'tenant', body, expects: record?.revision ?? 0 }],
      changesRedaction: next.redactionPolicy !== current.redactionPolicy,
      // Claims that were decided by the former floor are decided again.
      jobs: next.trustFloorWin === current.trustFloorWin ? [] : [reresolveAllJob(tenant)],
    } as const
    const { repeated } = await tenant.commit(batch, { ...options, call: { operation: 'settings.change', change } })
    if (batch.jobs.length > 0) tenant.engine.workers.wake()
    return { settings: repeated ? current : next, repeated }
  })
}
