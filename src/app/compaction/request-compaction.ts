import { toInstant } from '../../core/check.ts'
import type { SourceGroup } from '../../core/compaction/select-sources.ts'
import { ColophonError } from '../../core/errors.ts'
import type { NewJob } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { refuseSecrets } from '../../core/redaction/scanner.ts'
import { commitJob, type WriteOptions } from '../commit.ts'
import { freshContext, loadSettings } from '../redaction/redaction-state.ts'
import { requireCapability } from '../require-capability.ts'
import type { Tenant } from '../tenant.ts'
import { compactRef, type PassParts, type PassResult, sourceGroups } from './compaction-pass.ts'
import { planOfRequest, type RequestedCompaction } from './compaction-plan.ts'
import { compactionJobKind } from './compaction-schedule.ts'

const compactionPrefix = 'cmp_'

/** The id of the job follows from the id of its first compaction, so the link need not be stored. */
export function jobIdOf(compactionId: string): string {
  return `job_${compactionId.slice(compactionPrefix.length)}`
}

function compactionIdOf(jobId: string): string {
  return `${compactionPrefix}${jobId.slice('job_'.length)}`
}

/** Enqueues a pass over one ref. The returned id is that of its first compaction. The pass may find nothing to compact. */
export async function requestCompaction(
  tenant: Tenant,
  draft: RequestedCompaction,
  options: WriteOptions = {},
): Promise<{ readonly id: string; readonly jobId: string; readonly repeated: boolean }> {
  requireCapability(tenant, 'compaction')
  // The payload of a job is redacted. A redacted ref would name another ref, so a ref with a secret is refused.
  const { redaction } = await freshContext(tenant)
  await redaction.redact(({ scan }) => refuseSecrets({ memoryRef: draft.memoryRef }, scan))
  const compactionId = tenant.system.newId('cmp')
  const job: NewJob = {
    jobId: jobIdOf(compactionId),
    kind: compactionJobKind,
    payload: { ...draft, actor: options.actor ?? tenant.engine.actor, askedAt: tenant.now() },
    priority: 0,
    dueAt: null,
    attemptsMax: limits.jobAttemptsDefault,
  }
  const call = { operation: 'compaction.request', ...draft }
  const { jobId, repeated } = await commitJob(tenant, job, { ...options, call })
  return { id: compactionIdOf(jobId), jobId, repeated }
}

type RequestPayload = RequestedCompaction & {
  readonly actor: string
  readonly askedAt: number
}

/** Runs the job of a requested compaction. */
export async function runCompactionRequest(
  tenant: Tenant,
  jobId: string,
  { actor, askedAt, ...draft }: RequestPayload,
  parts: Omit<PassParts, 'actor' | 'firstId' | 'trigger'>,
): Promise<PassResult> {
  const { compaction: policy } = await loadSettings(tenant.storage, tenant.id)
  const plan = planOfRequest(draft, policy, askedAt)
  const result = await compactRef(tenant, plan, {
    ...parts,
    actor,
    trigger: 'client-requested',
    firstId: compactionIdOf(jobId),
  })
  if (result.compactions > 0 || result.redactionFailures === 0) return result
  throw new ColophonError('compaction_redaction_failed', 'No summary could be redacted with its markers kept.')
}

export type CompactionPreview = {
  readonly sourceIds: readonly string[]
  readonly sourceCount: number
  readonly compactions: readonly {
    readonly sourceCount: number
    readonly bytes: number
    readonly subject: string | null
    readonly expiresAt?: string
  }[]
}

/** What a request would compact now. Nothing is stored, and no summary is made. */
export async function dryRunCompaction(
  tenant: Tenant,
  draft: RequestedCompaction,
  signal: AbortSignal,
): Promise<CompactionPreview> {
  requireCapability(tenant, 'compaction')
  const { compaction: policy } = await loadSettings(tenant.storage, tenant.id)
  const { memoryRef, selection } = planOfRequest(draft, policy, tenant.now())
  const sourceIds: string[] = []
  const compactions: CompactionPreview['compactions'][number][] = []
  let sourceCount = 0
  for await (const group of sourceGroups(tenant, memoryRef, selection, signal)) {
    const left = limits.compactionDryRunSourcesMax - sourceIds.length
    sourceIds.push(...group.sources.slice(0, left).map(({ entryId }) => entryId))
    sourceCount += group.sources.length
    if (compactions.length < limits.pageEntriesMax) compactions.push(toPlanned(group))
  }
  return { sourceIds, sourceCount, compactions }
}

function toPlanned({ sources, bytes, subject, expiresAt }: SourceGroup): CompactionPreview['compactions'][number] {
  const ends = expiresAt === null ? {} : { expiresAt: toInstant(expiresAt) }
  return { sourceCount: sources.length, bytes, subject, ...ends }
}
