import type { Merge } from '../../core/consolidation/consolidation.ts'
import { invalid } from '../../core/errors.ts'
import type { NewJob } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { refuseSecrets } from '../../core/redaction/scanner.ts'
import { commitJob, type WriteOptions } from '../commit.ts'
import { freshContext } from '../redaction/redaction-state.ts'
import { requireCapability } from '../require-capability.ts'
import type { Tenant } from '../tenant.ts'
import { type ConsolidationParts, type ConsolidationResult, consolidateRef } from './consolidation-pass.ts'
import { consolidationJobKind } from './consolidation-schedule.ts'
import { pairsOfRef, planRef } from './scan-ref.ts'

/** The run that records the first commit of a requested pass. It follows from the id of the job, so the link need not be stored. */
function runIdOf(jobId: string): string {
  return `run_${jobId.slice('job_'.length)}`
}

export type ConsolidationDraft = {
  readonly memoryRef: string
  /** Whether a model is asked about pairs that the rules leave apart. */
  readonly model?: boolean | undefined
}

function checkModel({ host }: Tenant): void {
  if (host.model === null)
    throw invalid('model', 'must not be true on a host without a model; set COLOPHON_LLM_URL and COLOPHON_LLM_MODEL')
}

/** Enqueues a pass over one ref. */
export async function requestConsolidation(
  tenant: Tenant,
  { memoryRef, model }: ConsolidationDraft,
  options: WriteOptions = {},
): Promise<{ readonly jobId: string; readonly runId: string; readonly repeated: boolean }> {
  requireCapability(tenant, 'consolidation')
  const asked = model === true ? { model } : {}
  if (model === true) checkModel(tenant)
  // The payload of a job is redacted. A redacted ref would name another ref, so a ref with a secret is refused.
  const { redaction } = await freshContext(tenant)
  await redaction.redact(({ scan }) => refuseSecrets({ memoryRef }, scan))
  const job: NewJob = {
    jobId: tenant.system.newId('job'),
    kind: consolidationJobKind,
    payload: { memoryRef, actor: options.actor ?? tenant.engine.actor, ...asked },
    priority: 0,
    dueAt: null,
    attemptsMax: limits.jobAttemptsDefault,
  }
  const call = { operation: 'consolidation.request', memoryRef, ...asked }
  const { jobId, repeated } = await commitJob(tenant, job, { ...options, call })
  return { jobId, runId: runIdOf(jobId), repeated }
}

/** Runs the job of a requested pass. */
export async function runConsolidationRequest(
  tenant: Tenant,
  jobId: string,
  { memoryRef, actor }: { readonly memoryRef: string; readonly actor: string },
  parts: Omit<ConsolidationParts, 'actor' | 'trigger' | 'firstRunId'>,
): Promise<ConsolidationResult> {
  return consolidateRef(tenant, memoryRef, { ...parts, actor, trigger: 'on-demand', firstRunId: runIdOf(jobId) })
}

export type ConsolidationPreview = {
  readonly inputCount: number
  readonly outputCount: number
  readonly merges: readonly {
    readonly reason: Merge['reason']
    /** The entry whose text stays. */
    readonly keptId: string
    readonly sourceIds: readonly string[]
  }[]
  /** How many pairs a model would be asked about. */
  readonly questions?: number
}

/** What a request would merge now. Nothing is stored. */
export async function dryRunConsolidation(
  tenant: Tenant,
  { memoryRef, model }: ConsolidationDraft,
  signal: AbortSignal,
): Promise<ConsolidationPreview> {
  requireCapability(tenant, 'consolidation')
  if (model === true) checkModel(tenant)
  const questionsMax = limits.consolidationQuestionsMax
  const { entries, merges } = await planRef(tenant, memoryRef, signal)
  const ended = merges.reduce((sum, { sources }) => sum + sources.length - 1, 0)
  return {
    inputCount: entries,
    outputCount: entries - ended,
    merges: merges.slice(0, limits.consolidationDryRunMergesMax).map(({ reason, kept, sources }) => ({
      reason,
      keptId: kept,
      sourceIds: sources.map(({ entryId }) => entryId),
    })),
    ...(model === true ? { questions: (await pairsOfRef(tenant, memoryRef, questionsMax, signal)).length } : {}),
  }
}
