import type { AdminBody, AdminKind, AdminRecord } from '../core/admin.ts'
import type { AuditRow, Clock, EntryHead } from '../core/batch.ts'
import type { EntryVersion, Origin } from '../core/entry.ts'
import type { Job } from '../core/job.ts'
import type { Classification } from '../core/provenance/category.ts'
import type { Schedule } from '../core/schedule.ts'
import type { SpokenVersion } from '../ports/search-store.ts'
import type { RefSummary, Tenant } from '../ports/storage.ts'

/** Rows as both databases give them (same columns, same names), and what they mean. Each list of columns stands beside the function that reads it. */

export const versionColumns = `entry_id, version, content, tags, salt, created_at, expires_at, created_position, ordinal,
       recorded_position, ended_position, ended_reason, subject, origin, memory_ref, digest_position,
       classification`

export type VersionRow = {
  entry_id: string
  version: number
  content: string
  tags: string
  salt: string
  created_at: number
  expires_at: number | null
  created_position: number
  ordinal: number
  recorded_position: number
  ended_position: number | null
  ended_reason: string | null
  subject: string | null
  origin: string
  memory_ref: string
  digest_position: number | null
  classification: string | null
}

/** The columns of a version that ranking looks at. */
export const spokenColumns = 'entry_id, version, content, created_at, created_position, ordinal, classification'

export type SpokenVersionRow = Pick<
  VersionRow,
  'entry_id' | 'version' | 'content' | 'created_at' | 'created_position' | 'ordinal' | 'classification'
>

export function toSpokenVersion(row: SpokenVersionRow): SpokenVersion {
  return {
    entryId: row.entry_id,
    version: row.version,
    content: row.content,
    createdAt: row.created_at,
    createdPosition: row.created_position,
    ordinal: row.ordinal,
    classification: toClassification(row.classification),
  }
}

export function toVersion(row: VersionRow): EntryVersion {
  return {
    memoryRef: row.memory_ref,
    entryId: row.entry_id,
    version: row.version,
    content: row.content,
    tags: JSON.parse(row.tags) as string[],
    salt: row.salt,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    createdPosition: row.created_position,
    ordinal: row.ordinal,
    recordedPosition: row.recorded_position,
    digestPosition: row.digest_position ?? row.recorded_position,
    endedPosition: row.ended_position,
    endedReason: row.ended_reason,
    subject: row.subject,
    origin: toOrigin(row.origin),
    classification: toClassification(row.classification),
  }
}

function toClassification(text: string | null): Classification | null {
  return text === null ? null : (JSON.parse(text) as Classification)
}

const apiOrigin: Origin = { kind: 'api' }
const apiOriginText = JSON.stringify(apiOrigin)

/** Most rows come from the API, and parsing the same few bytes for each row of a page adds up. */
function toOrigin(text: string): Origin {
  return text === apiOriginText ? apiOrigin : (JSON.parse(text) as Origin)
}

export const headColumns = `memory_ref, entry_id, version, tags, created_at, expires_at, created_position, ordinal,
       ended_position, ended_reason, subject, classification`

export type HeadRow = Omit<VersionRow, 'content' | 'salt' | 'recorded_position' | 'origin' | 'digest_position'>

export function toHead(row: HeadRow): EntryHead {
  return {
    memoryRef: row.memory_ref,
    entryId: row.entry_id,
    version: row.version,
    tags: JSON.parse(row.tags) as string[],
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    createdPosition: row.created_position,
    ordinal: row.ordinal,
    endedPosition: row.ended_position,
    endedReason: row.ended_reason,
    subject: row.subject,
    classification: toClassification(row.classification),
  }
}

/** The run an entry belongs to, as columns: a run's own view looks entries up by it. */
export function runOf(origin: Origin): { runId: string | null; runSequence: number | null } {
  if (origin.kind !== 'run' && origin.kind !== 'session') return { runId: null, runSequence: null }
  return { runId: origin.runId, runSequence: origin.sequence }
}

export const clockColumns = 'position, last_hash, last_created_at, redaction_version, history_from'

export type ClockRow = {
  position: number
  last_hash: string
  last_created_at: number
  redaction_version: number
  history_from: number
}

export function toClock(row: ClockRow): Clock {
  return {
    position: row.position,
    lastHash: row.last_hash,
    lastCreatedAt: row.last_created_at,
    redactionVersion: row.redaction_version,
    historyFrom: row.history_from,
  }
}

export type AuditTableRow = { position: number; at: number; body: string; hash: string; refs: string | null }

export function toAuditRow(row: AuditTableRow): AuditRow {
  return { ...row, refs: row.refs === null ? null : (JSON.parse(row.refs) as string[]) }
}

export const jobColumns = `job_id, kind, status, priority, due_at, payload, attempts, attempts_max, lost_leases, lease_token,
       worker, progress, error, result, created_at, started_at, ended_at, trace`

export type JobRow = {
  job_id: string
  kind: string
  status: string
  priority: number
  due_at: number
  payload: string
  attempts: number
  attempts_max: number
  lost_leases: number
  lease_token: string | null
  worker: string | null
  progress: string | null
  error: string | null
  result: string | null
  created_at: number
  started_at: number | null
  ended_at: number | null
  trace: string | null
}

export function toJob(row: JobRow): Job {
  return {
    jobId: row.job_id,
    kind: row.kind,
    status: row.status as Job['status'],
    priority: row.priority,
    dueAt: row.due_at,
    payload: JSON.parse(row.payload) as unknown,
    attempts: row.attempts,
    attemptsMax: row.attempts_max,
    lostLeases: row.lost_leases,
    leaseToken: row.lease_token,
    worker: row.worker,
    progress: fromJson(row.progress),
    error: fromJson(row.error) as Job['error'],
    result: fromJson(row.result),
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    trace: fromJson(row.trace) as Job['trace'],
  }
}

export function toJobRow(job: Job): JobRow {
  return {
    job_id: job.jobId,
    kind: job.kind,
    status: job.status,
    priority: job.priority,
    due_at: job.dueAt,
    payload: JSON.stringify(job.payload ?? null),
    attempts: job.attempts,
    attempts_max: job.attemptsMax,
    lost_leases: job.lostLeases,
    lease_token: job.leaseToken,
    worker: job.worker,
    progress: toJson(job.progress),
    error: toJson(job.error),
    result: toJson(job.result),
    created_at: job.createdAt,
    started_at: job.startedAt,
    ended_at: job.endedAt,
    trace: toJson(job.trace),
  }
}

export type ScheduleRow = {
  schedule_id: string
  cron: string
  kind: string
  payload: string
  next_due_at: number
  last_due_at: number | null
}

export function toSchedule(row: ScheduleRow): Schedule {
  return {
    scheduleId: row.schedule_id,
    cron: row.cron,
    kind: row.kind,
    payload: JSON.parse(row.payload) as unknown,
    nextDueAt: row.next_due_at,
    lastDueAt: row.last_due_at,
  }
}

function fromJson(text: string | null): unknown {
  return text === null ? null : (JSON.parse(text) as unknown)
}

function toJson(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value)
}

export const adminColumns = 'kind, id, revision, body, updated_at'

export type AdminRow = { kind: string; id: string; revision: number; body: string; updated_at: number }

export function toAdminRecord(row: AdminRow): AdminRecord {
  return {
    kind: row.kind as AdminKind,
    id: row.id,
    revision: row.revision,
    body: JSON.parse(row.body) as AdminBody,
    updatedAt: row.updated_at,
  }
}

export type TenantRow = { tenant_id: string; status: string; created_at: number }

export function toTenant(row: TenantRow): Tenant {
  return { tenantId: row.tenant_id, status: row.status as Tenant['status'], createdAt: row.created_at }
}

export type RefRow = { memory_ref: string; entries: number; last_write_at: number }

export function toRefSummary(row: RefRow): RefSummary {
  return { memoryRef: row.memory_ref, entries: row.entries, lastWriteAt: row.last_write_at }
}
