import { ColophonError } from '../../core/errors.ts'
import { invariant } from '../../core/invariant.ts'
import type { JobLease, NewJob } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { growthOf } from '../../core/quotas/growth.ts'
import { endRun, type RunEnd } from '../../core/run/lifecycle.ts'
import { isEnded } from '../../core/run/run.ts'
import { RunProgress } from '../../core/run/run-progress.ts'
import type { WorkflowDefinition } from '../../core/workflow/definition.ts'
import type { Change } from '../commit.ts'
import type { Tenant } from '../tenant.ts'
import { commitRun, type StepChange } from './commit-run.ts'
import { cancelChildren, dropUnstoredChildren, prepareEnd } from './end-run.ts'
import type { RecordedRun } from './recorded-run.ts'

/**
 * One execution of a run by a worker that has the lease of its job: from the stored state until the run ends or has to wait
 * for a timer, an interrupt or a child. It gathers changes in `progress` and commits them in steps.
 */
export class RunExecution {
  readonly tenant: Tenant
  readonly definition: WorkflowDefinition
  readonly lease: JobLease
  /** The recorded run that this run replays; null when it is no replay. */
  readonly source: RecordedRun | null
  /** Commits after every node, so that a refused commit names the node that caused it. */
  readonly commitsEachNode: boolean
  /** Aborts when the worker stops or loses the lease. */
  readonly signal: AbortSignal
  progress: RunProgress
  /** The redaction version under which this step read memory. If it has changed at the commit, the step is decided again. */
  #readUnder: number | null = null
  /** Jobs of child runs that are stored with the next commit. */
  readonly jobs: NewJob[] = []

  constructor(
    parts: Pick<RunExecution, 'tenant' | 'definition' | 'lease' | 'source' | 'signal' | 'progress'> & {
      commitsEachNode?: boolean
    },
  ) {
    this.tenant = parts.tenant
    this.definition = parts.definition
    this.lease = parts.lease
    this.source = parts.source
    this.commitsEachNode = parts.commitsEachNode ?? false
    this.signal = parts.signal
    this.progress = parts.progress
  }

  get isEnded(): boolean {
    return isEnded(this.progress.status)
  }

  /** Must be called before the step reads memory. */
  async noteRead(): Promise<void> {
    this.#readUnder ??= (await this.tenant.context()).redaction.version
  }

  /** A step of a run is not refused, so the quotas are checked when a node writes: the node fails, and nothing is half done. */
  async ensureRoom({ puts = [], revisions = [] }: Pick<Change, 'puts' | 'revisions'>): Promise<void> {
    const { tenant, progress } = this
    const growth = growthOf({ kind: 'memory.written', puts: [...progress.puts, ...puts], revisions })
    if (growth !== null) await tenant.engine.quotas.ensureRoom(tenant.id, growth)
  }

  /** Commits the gathered changes and continues from the stored run, whose text is redacted. */
  async commitStep(parkUntil?: number, wakes: readonly string[] = [], change?: StepChange): Promise<void> {
    const { runId } = this.progress.base
    const parked = parkUntil === undefined ? {} : { parkUntil }
    const options = { wakes, readUnder: this.#readUnder, ...parked, ...(change === undefined ? {} : { change }) }
    const jobs = this.jobs.splice(0)
    const { runs } = await commitRun(this.tenant, this.progress, { lease: this.lease, jobs, ...options })
    const run = runs.find((stored) => stored.runId === runId)
    if (run === undefined) throw new ColophonError('run_changed', 'The run was updated concurrently; retry.')
    this.progress = new RunProgress(run)
    this.#readUnder = null
  }

  /**
   * Commits a change of memory as the next step of the run, with what `note` gathers about it. If the commit is refused, nothing has
   * happened, and it can be decided again.
   */
  async commitWith(change: StepChange, note: () => void, readUnder: number): Promise<void> {
    invariant(!this.progress.isChanged, 'what was gathered before is committed first')
    const { base } = this.progress
    try {
      note()
      this.#readUnder = readUnder
      await this.commitStep(undefined, [], change)
    } catch (error) {
      this.progress = new RunProgress(base)
      this.#readUnder = null
      throw error
    }
  }

  /** Ends the run in one commit: its children, its session summary, its last event. */
  async end(end: RunEnd): Promise<void> {
    const { tenant, progress } = this
    if (end.status !== 'completed') {
      this.jobs.length = 0
      dropUnstoredChildren(progress)
    }
    const wakes = end.status === 'completed' ? [] : await cancelChildren(tenant, progress, undefined)
    await prepareEnd(tenant, progress, end.status, this.source)
    endRun(progress, end, tenant.now())
    await this.commitStep(undefined, wakes)
  }

  /** Called between two events: commits when the step has many events, and throws when the worker stops. */
  async commitIfDue(): Promise<void> {
    const { signal } = this
    const { events, isChanged } = this.progress
    const isDue = events.length >= limits.runStepEventsMax || this.isEnded || signal.aborted
    if (isDue && isChanged) await this.commitStep()
    if (signal.aborted && !this.isEnded)
      throw new ColophonError('closed', 'The worker is stopping; another worker will resume the run.')
  }
}
