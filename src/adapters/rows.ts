import type { AdminBody, AdminKind, AdminRecord } from '../core/admin.ts'
import type { AuditRow, Clock } from '../core/batch.ts'
import type { Job } from '../core/job.ts'
import type { Schedule } from '../core/schedule.ts'
import type { RefSummary, Tenant } from '../ports/storage.ts'

/** Rows as both databases give them (same columns, same names), and what they mean. Each list of columns stands beside the function that reads it. */

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
