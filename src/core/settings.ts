import { checkCount, checkKnownKeys } from './check.ts'
import { type CompactionPolicy, changePolicy, defaultCompactionPolicy } from './compaction/policy.ts'
import { invalid } from './errors.ts'

/** What a tenant may decide for itself. */
export type TenantSettings = {
  /** What a secret in a text does: replaced by a marker, or the whole write refused. */
  readonly redaction_policy: 'rewrite' | 'reject'
  readonly extraction_payload_retention_days: number
  readonly history_retention_days: number
  readonly session_summary: boolean
  readonly default_writer_priority: number
  /** Which entries are distilled into fewer, when, and into how much. A change names only what changes. */
  readonly compaction: CompactionPolicy
}

export const defaultSettings: TenantSettings = {
  redaction_policy: 'rewrite',
  extraction_payload_retention_days: 30,
  history_retention_days: 90,
  session_summary: true,
  default_writer_priority: 0,
  compaction: defaultCompactionPolicy,
}

const daysMax = 36_500

/** The settings as they are after a change; unknown names and impossible values are refused. */
export function changeSettings(current: TenantSettings, change: unknown): TenantSettings {
  checkKnownKeys('settings', change ?? null, Object.keys(defaultSettings))
  const next = { ...current, ...(change as Partial<TenantSettings>) }
  if (next.redaction_policy !== 'rewrite' && next.redaction_policy !== 'reject') {
    throw invalid('redaction_policy', 'must be "rewrite" or "reject"')
  }
  if (typeof next.session_summary !== 'boolean') throw invalid('session_summary', 'must be true or false')
  checkRange('extraction_payload_retention_days', next.extraction_payload_retention_days, 0, daysMax)
  checkRange('history_retention_days', next.history_retention_days, 1, daysMax)
  checkRange('default_writer_priority', next.default_writer_priority, 0, 100)
  return { ...next, compaction: changePolicy(current.compaction, (change as Partial<TenantSettings>).compaction) }
}

function checkRange(field: string, value: number, min: number, max: number): void {
  checkCount(field, value, min)
  if (value > max) throw invalid(field, `must be at most ${max}`, { max })
}
