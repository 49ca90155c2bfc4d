import type { EndedVersion } from '../../core/retention.ts'
import type { JobAge, RunAge } from '../../ports/history-store.ts'

/** Rows of what is old, as both databases give them. */

export type EndedRow = {
  memory_ref: string
  entry_id: string
  version: number
  ended_position: number
  ended_reason: string
  newest_version: number
}

export function toEnded(row: EndedRow): EndedVersion {
  return {
    memoryRef: row.memory_ref,
    entryId: row.entry_id,
    version: row.version,
    endedPosition: row.ended_position,
    endedReason: row.ended_reason,
    isNewest: row.version === row.newest_version,
  }
}

export type ExpiredRow = { memory_ref: string; entry_id: string }

export type RunAgeRow = {
  run_id: string
  created_at: number
  ended_at: number | null
  next_sequence: number
  snapshot_position: number
}

export function toRunAge(row: RunAgeRow): RunAge {
  const { run_id: runId, created_at: createdAt, ended_at: endedAt, next_sequence: nextSequence } = row
  return { runId, createdAt, endedAt, nextSequence, snapshotPosition: row.snapshot_position }
}

export type JobAgeRow = {
  job_id: string
  kind: string
  status: JobAge['status']
  created_at: number
  ended_at: number | null
}

export function toJobAge({ job_id: jobId, kind, status, created_at, ended_at }: JobAgeRow): JobAge {
  return { jobId, kind, status, createdAt: created_at, endedAt: ended_at }
}
