import { isColophonError } from '../../core/errors.ts'
import type { NewJob } from '../../core/jobs/job.ts'
import type { RunStep } from '../../core/run/run.ts'
import type { Tenant } from '../tenant.ts'
import { planRun } from './create-run.ts'
import { toNewRunStep, toRunJob } from './new-run.ts'

/** What the host starts a run for. */
type FollowUp = {
  readonly workflowId: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly metadata: Readonly<Record<string, unknown>>
  /** The run acts for this actor, and sees what this reader may see. */
  readonly actor: string
  readonly reader: string | null
}

/**
 * The run that a heartbeat or a commitment starts, for the commit that records why. Null when the workflow was removed, or refuses these
 * inputs: what happened is recorded without a run.
 */
export async function planFollowUpRun(
  tenant: Tenant,
  { workflowId, inputs, metadata, actor, reader }: FollowUp,
): Promise<{ readonly step: RunStep; readonly job: NewJob } | null> {
  const text = { inputs, configurable: {}, metadata, tags: [] }
  const parts = { workflowId, scopeId: null, isAloneInScope: false, given: {}, text, actor }
  try {
    const run = await planRun(tenant.withReader(reader), parts)
    return { step: toNewRunStep(run), job: toRunJob(run.facts.jobId, run.runId) }
  } catch (error) {
    if (isColophonError(error, 'not_found') || isColophonError(error, 'validation_error')) return null
    throw error
  }
}
