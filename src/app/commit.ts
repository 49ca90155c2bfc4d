import { canonicalJson } from '../core/canonical.ts'
import { checkIdentifier } from '../core/check.ts'
import { type Batch, type Committed, type Idempotency, nothing, type Outcome } from '../core/commit/batch.ts'
import { tombstoneOfKey } from '../core/commit/idempotency.ts'
import { ColophonError, invalid, isColophonError } from '../core/errors.ts'
import type { JobLease, NewJob } from '../core/jobs/job.ts'
import { limits } from '../core/limits.ts'
import { type Redacted, redactBatch } from '../core/redaction/redaction.ts'
import { observed } from '../telemetry/observed.ts'
import { currentTrace } from '../telemetry/scope.ts'
import { noteTexts } from './embeddings/schedule.ts'
import { refreshRedaction } from './redaction/redaction-state.ts'
import { withSalts } from './salt-change.ts'
import type { Tenant } from './tenant.ts'
import type { TenantContext } from './tenant-context.ts'

/** Options of every mutating call. */
export type WriteOptions = {
  /** A repeated call with the same key gives the first call's result. */
  readonly idempotencyKey?: string
  /** Who acts; the audit records it. */
  readonly actor?: string
  /** The job that this write completes: both are stored together, or neither. */
  readonly completes?: JobLease
}

export const writeOptionKeys = ['idempotencyKey', 'actor', 'completes'] as const

/** The parts of a batch that follow from the tenant and the call. */
type Given = 'tenantId' | 'actor' | 'finish' | 'idempotency' | 'mac' | 'redactionVersion' | 'redactions'

export type Change = Pick<Batch, 'kind'> & Partial<Omit<Batch, 'kind' | Given>>

/** What the call asked for, in a form that is equal for equal calls; it is digested, not stored. */
export type CallFacts = { readonly operation: string } & Readonly<Record<string, unknown>>

export type CommitOptions = WriteOptions & {
  readonly call: CallFacts
  readonly result?: unknown
  /** What was read for this was read under this version of the redaction; another one means: read again. */
  readonly readUnder?: number
}

/**
 * Redacts a decided change and stores it. When secrets changed meanwhile, redacts again: what is stored was checked against the newest.
 * This is no `decideAndCommit`: the decision stands, only its text is redacted anew.
 */
export async function commitChange(tenant: Tenant, change: Change, options: CommitOptions): Promise<Committed> {
  checkWriteOptions(options)
  const context = await tenant.context()
  if (!change.changesRedaction) return commitClean(tenant, context, change, options)
  // Each of these makes the others' redaction stale: they take turns instead of getting in each other's way.
  const last = changing.get(context) ?? Promise.resolve()
  const turn = last.then(() => commitClean(tenant, context, change, options))
  changing.set(
    context,
    turn.catch(() => {}),
  )
  return turn
}

/** The change of secrets, rules or policy that a tenant waits for in this process. */
const changing = new WeakMap<TenantContext, Promise<unknown>>()

async function commitClean(
  tenant: Tenant,
  context: TenantContext,
  change: Change,
  options: CommitOptions,
): Promise<Committed> {
  const { engine } = tenant
  for (let attempt = 1; ; attempt++) {
    const { version } = context.redaction
    if (options.readUnder !== undefined && options.readUnder !== version)
      throw new ColophonError('reads_stale', 'Something was forgotten, or secrets changed, since memory was read.')
    try {
      const committed = await store(tenant, context, change, options)
      if (committed.repeated && options.completes) return await completeRepeated(tenant, committed, options)
      if (options.completes) options.completes.spent = true
      if (!committed.repeated) {
        engine.watch.notify(tenant.id, committed.outcome.position)
        for (const { memoryRef } of committed.versions) engine.indexer.note(tenant.id, memoryRef, 1)
        if (committed.versions.length > 0 || change.rewrites?.length) noteTexts(tenant)
        await engine.indexer.room()
      }
      return committed
    } catch (error) {
      // A refusal may come from a rule, a secret or a policy that is no longer there: look before passing it on.
      const isDoubtful = isColophonError(error, 'redaction_stale') || isColophonError(error, 'secret_leakage')
      if (!isDoubtful || attempt >= limits.redactionAttemptsMax) throw error
      await refreshRedaction(tenant.engine, context)
      // Another call may have refreshed it meanwhile: what counts is that this attempt used an older one.
      if (context.redaction.version === version) throw error
    }
  }
}

/** What the store has under the call's idempotency key, without a commit. */
export async function findOutcome(tenant: Tenant, options: CommitOptions): Promise<Outcome | null> {
  checkWriteOptions(options)
  const idempotency = toIdempotency(await tenant.context(), options)
  return idempotency && tenant.storage.outcome(tenant.id, idempotency)
}

/** Stores a job and nothing else. The job is the one that an earlier call with the same key made, if there was one. */
export async function commitJob(
  tenant: Tenant,
  job: NewJob,
  options: CommitOptions,
): Promise<{ readonly jobId: string; readonly repeated: boolean }> {
  const { outcome, repeated } = await tenant.commit({ kind: 'memory.written', jobs: [job] }, options)
  tenant.engine.workers.wake(job.kind)
  return { jobId: outcome.jobs[0] ?? job.jobId, repeated }
}

/** One transaction, as a span. The jobs it stores go on with the trace from there. */
function store(tenant: Tenant, context: TenantContext, change: Change, options: CommitOptions): Promise<Committed> {
  return observed('commit', { operation: options.call.operation }, async (note) => {
    const trace = change.jobs?.length ? currentTrace() : null
    const traced = trace === null ? change : { ...change, jobs: change.jobs?.map((job) => ({ ...job, trace })) ?? [] }
    const redacting = toBatch(tenant, context, traced, options)
    const batch = redacting instanceof Promise ? await redacting : redacting
    const committed = await tenant.storage.commit(batch)
    if (committed.repeated) note({ repeated: true })
    return committed
  })
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
    idempotency: toIdempotency(context, options),
    mac: context.mac,
    redactionVersion: redaction.version,
  }
  return redaction.redact(({ scan, scanNames }) => redactBatch(batch, scan, redaction.policy, scanNames))
}

function toIdempotency({ digest }: TenantContext, { idempotencyKey, call }: CommitOptions): Idempotency | null {
  if (idempotencyKey === undefined) return null
  const key = `${call.operation}:${idempotencyKey}`
  return { key, digest: digest(toFingerprint(call)), tombstone: tombstoneOfKey(digest, key) }
}

/** The caller's words are compared as they came, also those that no check has looked at. */
function toFingerprint(call: CommitOptions['call']): string {
  try {
    return canonicalJson(call)
  } catch {
    throw invalid('body', 'must be JSON with well-formed text and finite numbers')
  }
}

/** The effect is already there from an earlier try; the job that repeats it still has to end. */
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
