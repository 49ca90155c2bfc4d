import { toInstant } from '../core/check.ts'
import { invalid } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { createOperatorScanner, type OperatorRule, parseOperatorRule } from '../core/operator-rules.ts'
import { changeSettings, type TenantSettings } from '../core/settings.ts'
import { commitChange, type WriteOptions } from './commit.ts'
import type { Deps } from './deps.ts'
import { freshContext, loadRules, loadSettings } from './redaction-state.ts'

export type RuleView = OperatorRule & { readonly updatedAt: string }

export async function listRules(deps: Deps, tenantId: string): Promise<RuleView[]> {
  const records = await deps.storage.records({ tenantId, kind: 'rule', after: null, limit: limits.rulesPerTenantMax })
  return records.map(({ id, body, updatedAt }) => ({
    id,
    pattern: body.sealed.pattern ?? '',
    ...(body.text as { description?: string }),
    updatedAt: toInstant(updatedAt),
  }))
}

export async function putRule(
  deps: Deps,
  tenantId: string,
  id: string,
  draft: unknown,
  options: WriteOptions = {},
): Promise<OperatorRule> {
  const rule = parseOperatorRule(id, draft)
  const known = await loadRules(deps.storage, tenantId)
  if (known.length >= limits.rulesPerTenantMax && !known.some((other) => other.id === id)) {
    throw invalid('rules', `must be at most ${limits.rulesPerTenantMax} per tenant`, {
      limit: 'rulesPerTenantMax',
      max: limits.rulesPerTenantMax,
    })
  }
  // The pattern is a program, not a text: redacting it would change what it finds.
  const { pattern, id: _id, ...text } = rule
  const change = { kind: 'rule', id: rule.id, body: { text, sealed: { pattern } }, expects: null } as const
  await commitChange(
    deps,
    tenantId,
    { kind: 'admin.rule.put', admin: [change], changesRedaction: true },
    { ...options, call: { operation: 'rules.put', ...rule } },
  )
  return rule
}

export async function removeRule(
  deps: Deps,
  tenantId: string,
  id: string,
  options: WriteOptions = {},
): Promise<boolean> {
  const change = { kind: 'rule', id: String(id), body: null, expects: null } as const
  const { outcome } = await commitChange(
    deps,
    tenantId,
    { kind: 'admin.rule.removed', admin: [change], changesRedaction: true },
    { ...options, call: { operation: 'rules.remove', id: String(id) } },
  )
  return outcome.admin.length > 0
}

/** What a text would become, by the tenant's whole redactor or by one rule that is not stored yet. Nothing is kept. */
export async function tryRedaction(deps: Deps, tenantId: string, text: string, pattern?: string) {
  const { redaction } = await freshContext(deps, tenantId)
  const scan =
    pattern === undefined ? redaction.scan : createOperatorScanner([parseOperatorRule('tried-rule', { pattern })])
  const hits = new Map<string, number>()
  const result = scan(text, (rule) => hits.set(rule, (hits.get(rule) ?? 0) + 1))
  return { text: result, hits: [...hits].map(([rule, count]) => ({ rule, count })) }
}

export async function readSettings(deps: Deps, tenantId: string): Promise<TenantSettings> {
  return loadSettings(deps.storage, tenantId)
}

export async function writeSettings(
  deps: Deps,
  tenantId: string,
  change: unknown,
  options: WriteOptions = {},
): Promise<TenantSettings> {
  const record = await deps.storage.record(tenantId, 'settings', 'tenant')
  const current = await loadSettings(deps.storage, tenantId)
  const next = changeSettings(current, change)
  const body = { text: next, sealed: {} }
  await commitChange(
    deps,
    tenantId,
    {
      kind: 'admin.settings.changed',
      admin: [{ kind: 'settings', id: 'tenant', body, expects: record?.revision ?? 0 }],
      changesRedaction: next.redaction_policy !== current.redaction_policy,
    },
    { ...options, call: { operation: 'settings.change', next } },
  )
  return next
}
