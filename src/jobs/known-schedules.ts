import { compactionPassKind, compactionScheduleId } from '../app/compaction/schedule.ts'
import { embedJobKind, embedScheduleId } from '../app/embeddings/schedule.ts'
import { retentionJobKind } from '../app/provenance/retention.ts'
import { historyJobKind } from '../app/retention/prune-history.ts'
import { expiryJobKind } from '../app/retention/sweep-expired.ts'

/** Schedules that the host makes for every tenant that needs them. They can be paused, but not changed or removed. */
export const hostSchedules: readonly string[] = [
  'payload-retention',
  'expiry-sweep',
  'history-retention',
  compactionScheduleId,
  embedScheduleId,
]

/** Work that may be asked for again and again: passes over what is stored, which are safe to repeat at any time. */
export const schedulableKinds: readonly string[] = [
  compactionPassKind,
  'colophon.re-redact',
  retentionJobKind,
  expiryJobKind,
  historyJobKind,
  embedJobKind,
]
