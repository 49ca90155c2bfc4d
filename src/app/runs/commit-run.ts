import type { Committed } from '../../core/commit/batch.ts'
import type { JobLease, NewJob } from '../../core/jobs/job.ts'
import { redactStoredRun } from '../../core/redaction/redaction.ts'
import { isEnded, type Run, type RunStep, runKeyOf } from '../../core/run/run.ts'
import { RunProgress } from '../../core/run/run-progress.ts'
import type { Change, CommitOptions } from '../commit.ts'
import type { Tenant } from '../tenant.ts'
import { deliveryJobsOf } from '../webhooks/delivery-jobs.ts'
import type { ReservedSlot } from '../workers.ts'
import { narrowedPuts } from './readers-of-reads.ts'

export type StepChange = Pick<Change, 'kind' | 'puts' | 'revisions' | 'expects' | 'compactions'>

export type RunCommit = {
  /** The lease of the run's job, when a worker commits; absent for changes by clients. */
  readonly lease?: JobLease
  /** Releases the job and makes it due at that instant. */
  readonly parkUntil?: number
  readonly jobs?: readonly NewJob[]
  readonly wakes?: readonly string[]
  readonly write?: CommitOptions
  /** A change that is stored with the step, beside its own writes: the archive of a distillation. */
  readonly change?: StepChange
  /** The redaction version under which the step read memory; null when it read nothing. */
  readonly readUnder?: number | null
}

/**
 * Stores one step of a run in one commit: its state, its events, its memory calls and writes, the webhook deliveries of its
 * events, its child runs, and what becomes of its job.
 */
export async function commitRun(
  tenant: Tenant,
  progress: RunProgress,
  { lease, parkUntil, jobs = [], wakes = [], write, change, readUnder = null }: RunCommit = {},
): Promise<Committed> {
  const puts = await narrowedPuts(tenant, progress)
  const step = progress.toStep()
  const steps = [step, ...progress.otherSteps]
  const ended = steps.filter(({ run }) => isEnded(run.status))
  const parents = ended.flatMap(({ run }) => (run.facts.parent === null ? [] : [run.facts.parent.jobId]))
  const finishes = lease !== undefined && isEnded(step.run.status)
  const deliveries = (await deliveryJobsOf(tenant, steps)).map((job) => adopted(tenant, job))
  const committed = await tenant
    .commit(
      {
        kind: change?.kind ?? 'memory.written',
        puts: [...puts, ...(change?.puts ?? [])],
        ends: progress.ends,
        revisions: [...progress.revisions, ...(change?.revisions ?? [])],
        claims: progress.claims,
        expects: [...progress.expects, ...(change?.expects ?? [])],
        compactions: change?.compactions ?? [],
        capacities: progress.capacities,
        runs: steps,
        jobs: [...jobs, ...deliveries.map(({ job }) => job)],
        wakes: [...wakes, ...parents],
        // Completing or parking the job checks the lease already.
        holds: lease && parkUntil === undefined && !finishes ? lease : null,
        park:
          lease && parkUntil !== undefined
            ? { jobId: lease.jobId, leaseToken: lease.leaseToken, dueAt: parkUntil, waitsFor: childrenOf(step) }
            : null,
      },
      {
        actor: `run:${step.run.runId}`,
        call: { operation: 'run' },
        ...write,
        ...(finishes ? { completes: lease } : {}),
        ...(readUnder === null ? {} : { redactionVersionRead: readUnder }),
      },
    )
    .catch((error: unknown) => {
      for (const { adoption } of deliveries) adoption?.release()
      throw error
    })
  const storedJobs = new Map(committed.jobs.map((job) => [job.jobId, job]))
  for (const { job, adoption } of deliveries) {
    const stored = storedJobs.get(job.jobId)
    if (stored) adoption?.start(tenant.id, stored)
    else adoption?.release()
  }
  if (lease && parkUntil !== undefined) lease.spent = true
  if (!committed.repeated) for (const { run } of ended) tenant.host.endedRunCounters.add(run.status, 1)
  for (const run of committed.runs) tenant.engine.runWatch.notify(runKeyOf(tenant.id, run.runId), run.nextSequence, run)
  // Only those that have something to do: every other one would look for jobs, and move the tenant to the end of the queue.
  const queued = committed.jobs.filter(({ status }) => status === 'queued')
  for (const kind of new Set(queued.map((job) => job.kind))) tenant.engine.workers.wake(kind)
  return committed
}

/** If a worker of this process has a free slot, the delivery starts there at once. Otherwise it waits in the queue. */
function adopted(tenant: Tenant, job: NewJob): { readonly job: NewJob; readonly adoption: ReservedSlot | null } {
  const adoption = job.dueAt === null && !job.joins ? tenant.engine.workers.reserveSlot(tenant.id, job.kind) : null
  return adoption ? { job: { ...job, lease: adoption.lease }, adoption } : { job, adoption }
}

/** The child runs that the job waits for. A paused run waits for a resume only. */
function childrenOf({ run }: RunStep): string[] {
  if (run.status === 'paused') return []
  return Object.values(run.facts.nodes).flatMap(({ status, childRunId }) =>
    status === 'waiting' && childRunId !== undefined ? [childRunId] : [],
  )
}

/**
 * The progress of a stored run, for a change. If the tenant's policy refuses secrets, text that was stored before a secret
 * was registered is redacted first. Otherwise every commit of the run would be refused, and it could not even end.
 */
export async function openProgress(tenant: Tenant, run: Run): Promise<RunProgress> {
  const { redaction } = await tenant.context()
  if (redaction.policy !== 'reject') return new RunProgress(run)
  return new RunProgress({ ...run, text: await redaction.redact(({ scan }) => redactStoredRun(run.text, scan)) })
}
