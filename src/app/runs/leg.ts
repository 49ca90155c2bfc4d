import { ColophonError } from '../../core/errors.ts'
import type { JobLease, NewJob } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { endRun, type RunEnd } from '../../core/run/lifecycle.ts'
import { Progress } from '../../core/run/progress.ts'
import { isEnded } from '../../core/run/run.ts'
import type { WorkflowDefinition } from '../../core/workflow/definition.ts'
import type { Tenant } from '../tenant.ts'
import { commitRun } from './commit-run.ts'
import { addSessionSummary, cancelChildren, dropUnstoredChildren } from './end-children.ts'
import type { RecordedRun } from './recorded.ts'

/** The stretch of a run that one worker takes: from where it stands until it ends or has to wait. */
export class RunExecution {
  readonly tenant: Tenant
  readonly definition: WorkflowDefinition
  readonly lease: JobLease
  /** The run that is replayed; null when this one lives for itself. */
  readonly source: RecordedRun | null
  /** Stores after every node, so that what cannot be stored is known to be that node's. */
  readonly commitsEachNode: boolean
  progress: Progress
  /** The redaction under which the reads of this step were made: if something is forgotten meanwhile, they are made again. */
  #readUnder: number | null = null
  /** Jobs of children that begin with the next commit. */
  readonly jobs: NewJob[] = []

  constructor(
    parts: Pick<RunExecution, 'tenant' | 'definition' | 'lease' | 'source' | 'progress'> & { commitsEachNode?: boolean },
  ) {
    this.tenant = parts.tenant
    this.definition = parts.definition
    this.lease = parts.lease
    this.source = parts.source
    this.commitsEachNode = parts.commitsEachNode ?? false
    this.progress = parts.progress
  }

  get isEnded(): boolean {
    return isEnded(this.progress.status)
  }

  /** Called before memory is read. */
  async noteRead(): Promise<void> {
    this.#readUnder ??= (await this.tenant.context()).redaction.version
  }

  /** Stores what has come together and goes on from what was stored, which is redacted. */
  async commitStep(parkUntil?: number, wakes: readonly string[] = []): Promise<void> {
    const { runId } = this.progress.base
    const options = { wakes, readUnder: this.#readUnder, ...(parkUntil === undefined ? {} : { parkUntil }) }
    const jobs = this.jobs.splice(0)
    const { runs } = await commitRun(this.tenant, this.progress, { lease: this.lease, jobs, ...options })
    const run = runs.find((stored) => stored.runId === runId)
    if (run === undefined) throw new ColophonError('run_changed', 'The run went on meanwhile.')
    this.progress = new Progress(run)
    this.#readUnder = null
  }

  /** The end of the run, with the memory of it, in one commit. */
  async end(end: RunEnd): Promise<void> {
    const { tenant, progress } = this
    if (end.status !== 'completed') {
      this.jobs.length = 0
      dropUnstoredChildren(progress)
    }
    const wakes = end.status === 'completed' ? [] : await cancelChildren(tenant, progress, undefined)
    await addSessionSummary(tenant, progress, end.status, this.source)
    endRun(progress, end, tenant.now())
    await this.commitStep(undefined, wakes)
  }

  /** Between two things a run does: stores what has become much, and stops when its worker does. */
  async commitIfDue(signal: AbortSignal): Promise<void> {
    const { events, isChanged } = this.progress
    const isDue = events.length >= limits.runStepEventsMax || this.isEnded || signal.aborted
    if (isDue && isChanged) await this.commitStep()
    if (signal.aborted && !this.isEnded)
      throw new ColophonError('closed', 'The worker stops; the run goes on elsewhere.')
  }
}
