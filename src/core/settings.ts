import { type CompactionPolicy, changePolicy, defaultCompactionPolicy } from './compaction/policy.ts'

/** What a tenant may decide for itself. */
export type TenantSettings = {
  /** What a secret in a text does: replaced by a marker, or the whole write refused. */
  readonly redactionPolicy: 'rewrite' | 'reject'
  readonly extractionPayloadRetentionDays: number
  readonly historyRetentionDays: number
  readonly sessionSummary: boolean
  /** What a fork does whose source read an entry that has expired since: it is refused, or returns the entry as it was read. */
  readonly replayExpired: 'refuse' | 'allow'
  readonly defaultWriterPriority: number
  /** Whether a writer that is bound to no API key is refused as a source. */
  readonly requireBoundWriters: boolean
  /** Which entries are distilled into fewer, when, and into how much. */
  readonly compaction: CompactionPolicy
}

/** Names only what changes, also of the compaction policy. */
export type SettingsChange = Partial<Omit<TenantSettings, 'compaction'>> & {
  readonly compaction?: Partial<CompactionPolicy>
}

export const defaultSettings: TenantSettings = {
  redactionPolicy: 'rewrite',
  extractionPayloadRetentionDays: 30,
  historyRetentionDays: 90,
  sessionSummary: true,
  replayExpired: 'refuse',
  defaultWriterPriority: 0,
  requireBoundWriters: false,
  compaction: defaultCompactionPolicy,
}

/** The settings after a change. */
export function changeSettings(current: TenantSettings, change: SettingsChange): TenantSettings {
  return { ...current, ...change, compaction: changePolicy(current.compaction, change.compaction) }
}
