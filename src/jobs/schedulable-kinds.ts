import { compactionPassKind } from '../app/compaction/compaction-schedule.ts'
import { consolidationPassKind } from '../app/consolidation/consolidation-schedule.ts'
import { embedJobKind } from '../app/embeddings/embedding-schedule.ts'
import { payloadRetentionJobKind } from '../app/provenance/payload-retention.ts'
import { redactionJobKind } from '../app/redaction/redaction-pass.ts'
import { historyJobKind } from '../app/retention/prune-history.ts'
import { expiryJobKind } from '../app/retention/sweep-expired.ts'

/** Kinds of jobs that a client may schedule: passes over stored data, which are safe to repeat at any time. */
export const schedulableKinds: readonly string[] = [
  compactionPassKind,
  consolidationPassKind,
  redactionJobKind,
  payloadRetentionJobKind,
  expiryJobKind,
  historyJobKind,
  embedJobKind,
]

/** Every pass over stored data has a dry run. */
export function hasDryRun(kind: string): boolean {
  return schedulableKinds.includes(kind)
}
