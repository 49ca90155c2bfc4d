import type { AdminRecord } from '../../core/admin.ts'
import type { AuditRow, Clock } from '../../core/commit/batch.ts'
import type { Job } from '../../core/jobs/job.ts'
import type { Schedule } from '../../core/jobs/schedule.ts'
import type { RefSummary, StoredTenant } from '../../ports/storage.ts'
import { type Row, rowCodec } from './row-codec.ts'

/** Rows as both databases store them. */

export const clockRows = rowCodec<Clock>({
  position: 'bigint',
  lastHash: 'text',
  lastCreatedAt: 'bigint',
  redactionVersion: 'bigint',
  historyFrom: 'bigint',
})

export const auditTableRows = rowCodec<AuditRow>({
  position: 'bigint',
  at: 'bigint',
  body: 'text',
  hash: 'text',
  refs: 'json',
})

export const jobRows = rowCodec<Job>({
  jobId: 'text',
  kind: 'text',
  status: 'text',
  priority: 'bigint',
  dueAt: 'bigint',
  payload: 'document',
  attempts: 'bigint',
  attemptsMax: 'bigint',
  lostLeases: 'bigint',
  leaseToken: 'text',
  worker: 'text',
  progress: 'json',
  error: 'json',
  result: 'json',
  createdAt: 'bigint',
  startedAt: 'bigint',
  endedAt: 'bigint',
  trace: 'json',
})

export const scheduleRows = rowCodec<Schedule>({
  scheduleId: 'text',
  cron: 'text',
  kind: 'text',
  payload: 'document',
  nextDueAt: 'bigint',
  lastDueAt: 'bigint',
})

export const adminRows = rowCodec<AdminRecord>({
  kind: 'text',
  id: 'text',
  revision: 'bigint',
  body: 'json',
  updatedAt: 'bigint',
})

export const tenantRows = rowCodec<StoredTenant>({ tenantId: 'text', status: 'text', createdAt: 'bigint' })

/** The last recorded instant of the tenant of a row, for `withLastInstant`. */
export const lastInstantOf = (tenant: string) =>
  `coalesce((select c.last_created_at from tenant_clock c where c.tenant_id = ${tenant}), 0) as last_created_at`

export function withLastInstant<T extends object>(value: T, row: Row): T & { readonly lastCreatedAt: number } {
  return { ...value, lastCreatedAt: Number(row.last_created_at) }
}

export const refRows = rowCodec<RefSummary>({ memoryRef: 'text', entries: 'bigint', lastWriteAt: 'bigint' })
