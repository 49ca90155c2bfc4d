import { canonicalJson } from '../core/canonical.ts'
import { checkIdentifier } from '../core/check.ts'
import {
  type Batch,
  type Committed,
  type Idempotency,
  mayChangeRecords,
  nothing,
  type Outcome,
} from '../core/commit/batch.ts'
import { tombstoneOfKey } from '../core/commit/idempotency.ts'
import { startDigests } from '../core/commit/started-digests.ts'
import type { NewCompaction } from '../core/compaction/compaction.ts'
import { ColophonError, invalid, isColophonError } from '../core/errors.ts'
import type { JobLease, NewJob } from '../core/jobs/job.ts'
import { limits } from '../core/limits.ts'
import { type Redacted, redactBatch } from '../core/redaction/redaction.ts'
import { withSpan } from '../telemetry/span.ts'
import { currentTrace } from '../telemetry/trace-scope.ts'
import { inferJobKind, withInference } from './commitments/infer-commitments.ts'
import { wakeWatchers } from './commitments/watched-refs.ts'
import { scheduleEmbedding } from './embeddings/embedding-schedule.ts'
import { createTimeSlice } from './event-loop.ts'
import { admitChange } from './quotas/admit-change.ts'
import { refreshRedaction } from './redaction/redaction-state.ts'
import type { Tenant } from './tenant.ts'
import type { TenantContext } from './tenant-context.ts'

/**
 * Options of every call that writes.
 *
 * @example
 * await memory.put('agents/concierge', { content: 'Ada prefers tea.' }, { idempotencyKey: 'order-4711-note' })
 */
export type WriteOptions = {
  /** A retry with the same key returns the result of the first call and stores nothing. Keys are kept for 24 hours. */
  readonly idempotencyKey?: string
  /** Name of the user or program that makes the call. It is stored in the audit record. */
  readonly actor?: string
  /** The lease of the job that this write completes. The write and the completion are one transaction. */
  readonly completes?: JobLease
}

export const writeOptionKeys = ['idempotencyKey', 'actor', 'completes'] as const

/** The members of a batch that `commitChange` derives from the tenant and the call. */
type DerivedMember =
  | 'tenantId'
  | 'actor'
  | 'finish'
  | 'idempotency'
  | 'mac'
  | 'redactionVersion'
  | 'redactions'
  | 'tenantCreatedAt'

/** What a use case decided to store: its kind, and the parts of the batch that it fills. */
export type Change = Pick<Batch, 'kind'> & Partial<Omit<Batch, 'kind' | DerivedMember>>

/** Operation and arguments of a call. Equal calls have equal facts. Only their digest is stored, with the idempotency key. */
export type CallFacts = { readonly operation: string } & Readonly<Record<string, unknown>>

export type CommitOptions = WriteOptions & {
  readonly call: CallFacts
  /** The result of the job that `completes` names. */
  readonly result?: unknown
  /** The redaction version at which the inputs of this change were read. If it has changed, the commit is refused with `reads_stale`. */
  readonly redactionVersionRead?: number
}

/**
 * Redacts a decided change and stores it in one transaction. If secrets or rules changed in between, the change is redacted again,
 * so every stored text was checked against the newest ones. Unlike `decideAndCommit`, this does not repeat the decision.
 */
export async function commitChange(tenant: Tenant, change: Change, options: CommitOptions): Promise<Committed> {
  checkWriteOptions(options)
  const context = await tenant.context()
  const admitting = admitChange(tenant, change, options)
  const admission = admitting instanceof Promise ? await admitting : admitting
  let storedAt: number | null = null
  try {
    const planned = withInference(tenant, change, options.actor ?? tenant.engine.actor)
    const inferring = planned instanceof Promise ? await planned : planned
    const committed = await commitInOrder(tenant, context, inferring, options)
    if (!committed.repeated) storedAt = committed.outcome.position
    if (inferring !== change) tenant.engine.workers.wake(inferJobKind)
    return committed
  } finally {
    admission.settle(storedAt)
  }
}

function compactionKind({ kind }: Change, { tokenBudget = null }: NewCompaction): string {
  if (tokenBudget !== null) return 'distillation'
  return kind === 'memory.compacted' ? 'compaction' : 'consolidation'
}

function commitInOrder(
  tenant: Tenant,
  context: TenantContext,
  change: Change,
  options: CommitOptions,
): Promise<Committed> {
  if (!change.changesRedaction) return commitRedacted(tenant, context, change, options)
  // Each such commit makes the redaction of the others stale, so they run one after another.
  const last = redactionChanges.get(context) ?? Promise.resolve()
  const next = last.then(() => commitRedacted(tenant, context, change, options))
  redactionChanges.set(
    context,
    next.catch(() => {}),
  )
  return next
}

/** By tenant: the last queued change of secrets, rules or policy in this process. */
const redactionChanges = new WeakMap<TenantContext, Promise<unknown>>()

async function commitRedacted(
  tenant: Tenant,
  context: TenantContext,
  change: Change,
  options: CommitOptions,
): Promise<Committed> {
  const { engine } = tenant
  for (let attempt = 1; ; attempt++) {
    const { version } = context.redaction
    if (options.redactionVersionRead !== undefined && options.redactionVersionRead !== version)
      throw new ColophonError('reads_stale', 'Something was forgotten, or secrets changed, since memory was read.')
    try {
      const committed = await store(tenant, context, change, options)
      if (committed.repeated && options.completes) return await completeRepeated(tenant, committed, options)
      if (options.completes) options.completes.spent = true
      if (!committed.repeated) {
        engine.watch.notify(tenant.id, committed.outcome.position)
        for (const step of change.compactions ?? [])
          if ('made' in step) engine.host.compactionCounters.add(compactionKind(change, step.made), 1)
        for (const version of committed.versions) {
          engine.indexer.noteWrittenRows(tenant.id, version.memoryRef, 1)
          wakeWatchers(tenant, version)
        }
        if (committed.versions.length > 0 || change.rewrites?.some(({ readers }) => readers === undefined))
          scheduleEmbedding(tenant)
        await engine.indexer.waitForCapacity()
      }
      return committed
    } catch (error) {
      // The error may come from a secret, rule or policy that has been removed since: reload them before rethrowing it.
      const mayBeOutdated = isColophonError(error, 'redaction_stale') || isColophonError(error, 'secret_leakage')
      if (!mayBeOutdated || attempt >= limits.redactionAttemptsMax) throw error
      await refreshRedaction(tenant.engine, context)
      // Another call may have reloaded them already. What counts is whether this attempt used an older version.
      if (context.redaction.version === version) throw error
    }
  }
}

/** The outcome that is stored under the idempotency key of a call; null if there is none. Writes nothing. */
export async function findOutcome(tenant: Tenant, options: CommitOptions): Promise<Outcome | null> {
  checkWriteOptions(options)
  const idempotency = toIdempotency(tenant, await tenant.context(), options)
  return idempotency && tenant.storage.outcome(tenant.id, idempotency)
}

/** Stores a job and nothing else. A retry with the same idempotency key returns the id of the job of the first call. */
export async function commitJob(
  tenant: Tenant,
  job: NewJob,
  options: CommitOptions,
): Promise<{ readonly jobId: string; readonly repeated: boolean }> {
  const { outcome, repeated } = await tenant.commit({ kind: 'memory.written', jobs: [job] }, options)
  tenant.engine.workers.wake(job.kind)
  return { jobId: outcome.jobs[0] ?? job.jobId, repeated }
}

/** Commits one batch, measured as a span. Jobs that it stores continue the trace of the caller. */
function store(tenant: Tenant, context: TenantContext, change: Change, options: CommitOptions): Promise<Committed> {
  return withSpan('commit', { operation: options.call.operation }, async (note) => {
    const trace = change.jobs?.length ? currentTrace() : null
    const traced = trace === null ? change : { ...change, jobs: change.jobs?.map((job) => ({ ...job, trace })) ?? [] }
    const redacting = toBatch(tenant, context, traced, options)
    const batch = redacting instanceof Promise ? await redacting : redacting
    const slice = createTimeSlice()
    for (const _step of startDigests(batch)) await slice()
    const committed = await commitBatch(tenant, batch)
    if (committed.repeated) note({ repeated: true })
    return committed
  })
}

/** Keys may have changed even if the commit failed: its outcome can be unknown. */
function commitBatch(tenant: Tenant, batch: Redacted<Batch>): Promise<Committed> {
  const committing = tenant.storage.commit(batch)
  if (!mayChangeRecords(batch)) return committing
  return committing.finally(() => tenant.engine.credentials.invalidate(tenant.id))
}

function toBatch(
  tenant: Tenant,
  context: TenantContext,
  change: Change,
  options: CommitOptions,
): Redacted<Batch> | Promise<Redacted<Batch>> {
  const { completes } = options
  const { redaction } = context
  const { jobId, leaseToken } = completes ?? { jobId: '', leaseToken: '' }
  const batch = {
    ...nothing,
    ...withSalts(change, tenant.system.newSalt),
    tenantId: context.tenantId,
    actor: options.actor ?? tenant.engine.actor,
    finish: completes ? { jobId, leaseToken, result: options.result ?? null } : null,
    idempotency: toIdempotency(tenant, context, options),
    mac: context.mac,
    redactionVersion: redaction.version,
    tenantCreatedAt: context.createdAt,
  }
  return redaction.redact(({ scan, scanNames }) => redactBatch(batch, scan, redaction.policy, scanNames))
}

/** Adds a new salt to every row whose digest needs one: rows that begin, and rows whose text changes. */
function withSalts(change: Change, newSalt: () => string): Change {
  const { claims, runs, sourceRewrites, imported } = change
  if (!claims && !runs && !sourceRewrites && !imported) return change
  return {
    ...change,
    ...(claims && {
      claims: claims.map((step) => ({
        ...step,
        assertions: step.assertions.map((assertion) => ({ ...assertion, salt: newSalt() })),
        ...(step.restated && { restated: step.restated.map((item) => ({ ...item, salt: newSalt() })) }),
      })),
    }),
    ...(runs && {
      runs: runs.map((step) => (step.expects === 0 || step.recorded ? { ...step, salt: newSalt() } : step)),
    }),
    ...(sourceRewrites && { sourceRewrites: sourceRewrites.map((event) => ({ ...event, salt: newSalt() })) }),
    ...(imported && {
      imported: {
        ...imported,
        claims: imported.claims.map(({ claim, assertions }) => ({
          claim,
          assertions: assertions.map((assertion) => ({ ...assertion, salt: newSalt() })),
        })),
      },
    }),
  }
}

function toIdempotency(
  { reader }: Pick<Tenant, 'reader'>,
  { digest }: TenantContext,
  { idempotencyKey, call }: CommitOptions,
): Idempotency | null {
  if (idempotencyKey === undefined) return null
  const key = `${call.operation}:${idempotencyKey}`
  // The first outcome has ids that another reader cannot see. Calls without a reader have the digests that they always had.
  const facts = reader === null ? call : { ...call, calledBy: { reader } }
  return { key, digest: digest(toFingerprint(facts)), tombstone: tombstoneOfKey(digest, key) }
}

/** The canonical JSON of a call. Arguments are included as the caller sent them, also the ones that were not validated yet. */
function toFingerprint(call: CommitOptions['call']): string {
  try {
    return canonicalJson(call)
  } catch {
    throw invalid('body', 'must be JSON with well-formed text and finite numbers')
  }
}

/** An earlier attempt of the job stored the effect already. The job itself still has to be completed. */
async function completeRepeated(tenant: Tenant, committed: Committed, options: CommitOptions): Promise<Committed> {
  const { idempotencyKey: _used, ...rest } = options
  await tenant.commit({ kind: 'memory.written' }, rest)
  return committed
}

function checkWriteOptions({ idempotencyKey, actor }: WriteOptions): void {
  if (idempotencyKey !== undefined) {
    checkIdentifier('idempotencyKey', idempotencyKey, 'idempotencyKeyCharactersMax', limits.idempotencyKeyCharactersMax)
  }
  if (actor !== undefined) checkIdentifier('actor', actor, 'actorCharactersMax', limits.actorCharactersMax)
}
