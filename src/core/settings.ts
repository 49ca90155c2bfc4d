import { type CompactionPolicy, changePolicy, defaultCompactionPolicy } from './compaction/policy.ts'
import { defaultTrust, type Trust } from './entries/trust.ts'
import { defaultTimezone } from './jobs/timing.ts'

/** The settings of one tenant. */
export type TenantSettings = {
  /** Whether a secret in a text is replaced by a marker (`rewrite`) or the whole write is refused (`reject`). */
  readonly redactionPolicy: 'rewrite' | 'reject'
  readonly extractionPayloadRetentionDays: number
  readonly historyRetentionDays: number
  readonly sessionSummary: boolean
  /** Whether the conversation of a run is erased when the run ends, or kept with it. */
  readonly conversationRetention: 'erase' | 'keep'
  /** When the source of a fork read an entry that has expired since: refuse the fork, or return the entry as it was read. */
  readonly replayExpired: 'refuse' | 'allow'
  readonly defaultWriterPriority: number
  /** Whether a writer that is bound to no API key is refused as a source. */
  readonly requireBoundWriters: boolean
  /** What lists, searches and prompts return without `trustMin`. What is below it is in quarantine until a person releases it. */
  readonly trustFloorRead: Trust
  /** A content below it cannot win a claim against one of a higher class. */
  readonly trustFloorWin: Trust
  /** The time zone in which dates in texts are understood. */
  readonly timezone: string
  /** Whether commitments are inferred from new entries. */
  readonly commitmentInference: boolean
  /** The workflow that a commitment starts when it fires, unless it names one; empty for none. */
  readonly commitmentWorkflow: string
  /** Which entries are compacted, when, and into how many bytes. */
  readonly compaction: CompactionPolicy
  /** Whether the daily pass merges entries that say the same. */
  readonly consolidationEnabled: boolean
}

/** A partial update of the settings, also within the compaction policy. */
export type SettingsChange = Partial<Omit<TenantSettings, 'compaction'>> & {
  readonly compaction?: Partial<CompactionPolicy>
}

/** The settings of a tenant that has changed none. */
export const defaultSettings: TenantSettings = {
  redactionPolicy: 'rewrite',
  extractionPayloadRetentionDays: 30,
  historyRetentionDays: 90,
  sessionSummary: true,
  conversationRetention: 'erase',
  replayExpired: 'refuse',
  defaultWriterPriority: 0,
  requireBoundWriters: false,
  trustFloorRead: defaultTrust,
  trustFloorWin: defaultTrust,
  timezone: defaultTimezone,
  commitmentInference: true,
  commitmentWorkflow: '',
  compaction: defaultCompactionPolicy,
  consolidationEnabled: false,
}

/** Applies a partial update to the settings. */
export function changeSettings(current: TenantSettings, change: SettingsChange): TenantSettings {
  return { ...current, ...change, compaction: changePolicy(current.compaction, change.compaction) }
}
