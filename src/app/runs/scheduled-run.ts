import type { JobLease } from '../../core/jobs/job.ts'
import { mayActorAct } from '../access/scopes-of-actor.ts'
import type { Tenant } from '../tenant.ts'
import { createRun } from './create-run.ts'

/** The kind of the job that a schedule enqueues to start a run. */
export const startRunJobKind = 'colophon.start-run'

/** Which run to start, and by which schedule. */
export type ScheduledRun = {
  readonly workflowId: string
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly scheduleId?: string
  /** The due time that it is started for; absent when a client started it. */
  readonly dueAt?: string
  /** The actor that stored the schedule, or started it now: the run acts for it. */
  readonly by?: string
}

/** Starts the run and completes the job in one commit: a job that is attempted again after a crash finds itself completed. */
export async function startScheduledRun(
  tenant: Tenant,
  { workflowId, inputs = {}, scheduleId = '', dueAt, by }: ScheduledRun,
  lease: JobLease,
): Promise<{ readonly runId: string } | { readonly started: false; readonly reason: 'key_ended' }> {
  // What the schedule may do is checked when it is due.
  if (by !== undefined && !(await mayActorAct(tenant, by))) return { started: false, reason: 'key_ended' }
  const metadata = { scheduleId, ...(dueAt === undefined ? {} : { dueAt }) }
  const options = { actor: by ?? `schedule:${scheduleId}`, completes: lease }
  const { run } = await createRun(tenant, { workflowId, inputs, metadata }, options)
  return { runId: run.runId }
}
