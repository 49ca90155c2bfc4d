import { checkDistilledRef } from '../../core/distillation/check-request.ts'
import { checkTokenBudget, effectiveBudget } from '../../core/distillation/token-plan.ts'
import type { JobLease, NewJob } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { refuseSecrets } from '../../core/redaction/scanner.ts'
import { commitJob, type WriteOptions } from '../commit.ts'
import { freshContext } from '../redaction/redaction-state.ts'
import { requireCapability } from '../require-capability.ts'
import type { Tenant } from '../tenant.ts'
import { distillRef } from './distill-ref.ts'
import { readCorpus } from './read-corpus.ts'

/** The job that distills one ref. */
export const distillationJobKind = 'colophon.distill'

/** A distillation as a client requests it. Without a budget, the largest holds. */
export type RequestedDistillation = { readonly memoryRef: string; readonly tokenBudget?: number | undefined }

export const distillationPrefix = 'dst_'

/** The id of the job follows from that of its distillation, so the link need not be stored. */
export function distillationJobId(distillationId: string): string {
  return `job_${distillationId.slice(distillationPrefix.length)}`
}

function distillationIdOf(jobId: string): string {
  return `${distillationPrefix}${jobId.slice('job_'.length)}`
}

/** Refuses a ref that cannot be distilled, and a budget that is none. */
function checkDistillation({ memoryRef, tokenBudget }: RequestedDistillation): void {
  checkDistilledRef('memoryRef', memoryRef)
  if (tokenBudget !== undefined) checkTokenBudget('tokenBudget', tokenBudget)
}

export type DistillationPreview = {
  readonly memoryRef: string
  readonly sourceCount: number
  readonly tokenBudget: number
  readonly inputTokens: number
  readonly minimumRequired: number
}

/** What a distillation would read now, and the smallest budget for it. Nothing is stored. */
export async function previewDistillation(
  tenant: Tenant,
  draft: RequestedDistillation,
  signal: AbortSignal,
): Promise<DistillationPreview> {
  requireCapability(tenant, 'distillation')
  checkDistillation(draft)
  const tokenBudget = effectiveBudget(draft.tokenBudget)
  const { redaction } = await freshContext(tenant)
  const { sources, plan } = await readCorpus(tenant, draft.memoryRef, redaction, 0, signal)
  const { inputTokens, minimumRequired } = plan
  return { memoryRef: draft.memoryRef, sourceCount: sources.length, tokenBudget, inputTokens, minimumRequired }
}

/**
 * Enqueues a distillation. A budget that is too small for the ref as it is now is refused at once. The returned id is that of the
 * distillation, unless the ref has an archive of the same sources and budget already.
 */
export async function requestDistillation(
  tenant: Tenant,
  draft: RequestedDistillation,
  signal: AbortSignal,
  options: WriteOptions = {},
): Promise<{ readonly id: string; readonly jobId: string; readonly repeated: boolean }> {
  requireCapability(tenant, 'distillation')
  checkDistillation(draft)
  const { memoryRef } = draft
  const { redaction } = await freshContext(tenant)
  await redaction.redact(({ scan }) => refuseSecrets({ memoryRef }, scan))
  const tokenBudget = effectiveBudget(draft.tokenBudget)
  const call = { operation: 'distillation.request', memoryRef, tokenBudget }
  const first = await tenant.findOutcome({ ...options, call })
  if (first === null) (await readCorpus(tenant, memoryRef, redaction, 0, signal)).plan.check(tokenBudget)
  const job: NewJob = {
    jobId: distillationJobId(tenant.system.newId('dst')),
    kind: distillationJobKind,
    payload: { memoryRef, tokenBudget, actor: options.actor ?? tenant.engine.actor },
    priority: 0,
    dueAt: null,
    attemptsMax: limits.jobAttemptsDefault,
  }
  const { jobId, repeated } = await commitJob(tenant, job, { ...options, call })
  return { id: distillationIdOf(jobId), jobId, repeated }
}

type DistillationPayload = { readonly memoryRef: string; readonly tokenBudget: number; readonly actor: string }

/** Runs the job of a requested distillation. */
export async function runDistillationRequest(
  tenant: Tenant,
  jobId: string,
  { memoryRef, tokenBudget, actor }: DistillationPayload,
  parts: { readonly lease: JobLease; readonly signal: AbortSignal },
): Promise<{ readonly distillationId: string | null }> {
  const request = { distillationId: distillationIdOf(jobId), memoryRef, tokenBudget, actor, ...parts }
  const made = await distillRef(tenant, request)
  return { distillationId: made?.compactionId ?? null }
}
