/**
 * The public API of the package `colophon`.
 *
 * @example
 * import { openColophon } from 'colophon'
 *
 * await using colophon = await openColophon({ path: 'memory.db' })
 * const memory = colophon.memory('acme')
 * const { id } = await memory.put('agents/concierge', { content: 'Ada prefers tea.' })
 * const { results } = await memory.search('agents/concierge', 'what does Ada drink?')
 */

export type { ChangeRecord, ChangeStreamOptions } from './app/changes/change-stream.ts'
export type { WriteOptions } from './app/commit.ts'
export type { ChangeOptions } from './app/entries/change.ts'
export type { EntryColophon } from './app/entries/colophon.ts'
export type { PutManyResult, PutOptions, RunWrite } from './app/entries/put.ts'
export type { ListOptions, ListResult, ReadOptions, RunView, Snapshot } from './app/entries/read.ts'
export type { TenantMemory } from './app/tenant.ts'
export type { VerifyOptions } from './app/verify/verify.ts'
export type { AuditHead } from './core/audit/audit.ts'
export type { AuditFault, AuditProblem, AuditVerdict, ContentsVerdict } from './core/audit/verify/verdict.ts'
export type { OwnWrites } from './core/entries/as-of.ts'
export type { EntryDraft, MemoryEntry, Origin } from './core/entries/entry.ts'
export { ColophonError, type ErrorCode, type ErrorKind, errorTable, isColophonError } from './core/errors.ts'
export type { FilterForm } from './core/filter/parse-filter.ts'
export { verifyReceipt } from './core/forget/receipt.ts'
export type { ReceiptVerdict } from './core/forget/receipt-body.ts'
export { openReceiptEnvelope, type ReceiptEnvelope } from './core/forget/receipt-envelope.ts'
export type { JobFailure, JobLease, JobStatus, JobView } from './core/jobs/job.ts'
export type { Schedule } from './core/jobs/schedule.ts'
export { limits } from './core/limits.ts'
export type { JobScheduleDraft } from './jobs/cron-schedules.ts'
export { JobError } from './jobs/job-handler.ts'
export type { JobDraft, TenantJobs } from './jobs/queue.ts'
export type { JobHandler, RunningJob, Worker, WorkerOptions } from './jobs/worker.ts'
export { type Colophon, type OpenOptions, openColophon } from './open.ts'
export type { JobStore } from './ports/job-store.ts'
export type { Storage, StorageTraits } from './ports/storage.ts'
