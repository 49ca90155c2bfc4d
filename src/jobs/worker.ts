import type { Engine } from '../app/engine.ts'
import { activeMs } from '../app/event-loop.ts'
import type { ReservedSlot } from '../app/workers.ts'
import { checkCount, checkKnownKeys } from '../core/check.ts'
import { invalid } from '../core/errors.ts'
import { deadLetter, type Job } from '../core/jobs/job.ts'
import { limits } from '../core/limits.ts'
import { type AttemptContext, observeAttempt, runAttempt } from './attempt.ts'
import { fireSchedule } from './cron-schedules.ts'
import type { JobHandler } from './job-handler.ts'
import { leaseJobs } from './lease-jobs.ts'
import { TenantSlots } from './tenant-slots.ts'

export type { JobHandler, RunningJob } from './job-handler.ts'

/** What a worker runs, and how. */
export type WorkerOptions = {
  /** Handlers by kind of job. The worker claims jobs of these kinds only. */
  readonly handlers: Readonly<Record<string, JobHandler>>
  /** How many jobs run at the same time. */
  readonly concurrency?: number
  /**
   * How many jobs of one tenant are claimed together, once that many slots are free; 1 by default. Larger batches are for
   * short jobs: claiming each one alone would cost about as much as running it.
   */
  readonly batchSize?: number
  /** Whether the process has more urgent work. While it has, each batch is followed by a pause of three times as long as the process worked. */
  readonly isBusy?: () => boolean
  /** How long a lease lasts without a heartbeat. After a crash the job waits at most this long. */
  readonly leaseMs?: number
  /** How often the worker looks for due jobs when nothing wakes it. */
  readonly pollMs?: number
  /** Called before a job becomes a dead letter, so that what depends on the job can be ended first. It may be called again for the same job. */
  readonly onDead?: (tenantId: string, job: Job) => Promise<void>
}

export function checkWorkerOptions(options: WorkerOptions): void {
  checkKnownKeys('options', options ?? null, [
    'handlers',
    'concurrency',
    'batchSize',
    'isBusy',
    'leaseMs',
    'pollMs',
    'onDead',
  ])
  const { handlers, concurrency = 1, batchSize = 1, leaseMs = limits.jobLeaseMs, pollMs = 1 } = options
  const areHandlers = handlers !== null && typeof handlers === 'object'
  if (!areHandlers || Object.values(handlers).some((handler) => typeof handler !== 'function')) {
    throw invalid('handlers', 'must be an object of functions, by kind of job')
  }
  checkCount('concurrency', concurrency, 1)
  checkCount('batchSize', batchSize, 1)
  if (batchSize > concurrency) throw invalid('batchSize', 'must be at most the concurrency')
  checkCount('leaseMs', leaseMs, limits.jobLeaseMsMin)
  checkCount('pollMs', pollMs, 1)
  if (concurrency > limits.jobConcurrencyMax) {
    throw invalid('concurrency', `must be at most ${limits.jobConcurrencyMax}`, {
      limit: 'jobConcurrencyMax',
      max: limits.jobConcurrencyMax,
    })
  }
}

/** A woken worker polls twice more after short waits: another worker may have locked the job it was woken for. */
const shortPollsMs = [20, 100]

/**
 * Runs due jobs until it is stopped. Any number of workers, in any number of processes, may run on one store: the lease
 * makes sure that one of them has a job.
 */
export class Worker {
  readonly #attempts: AttemptContext
  readonly #engine: Engine
  readonly #concurrency: number
  readonly #batchSize: number
  readonly #pollMs: number
  readonly #name: string
  readonly #onStopped: () => void
  readonly #running = new Set<Promise<void>>()
  readonly #slots: TenantSlots
  #reserved = 0
  /** Jobs are waiting in the queue: a new job queues behind them and is not adopted. */
  #isBehind = false
  readonly #isBusy: () => boolean
  /** How long the process had worked when the last batch was claimed; null when no jobs waited. */
  #workedMsAtClaim: number | null = null
  readonly #stopping = new AbortController()
  #wake: (() => void) | null = null
  #woken = false
  #loop: Promise<void> | null = null

  constructor(engine: Engine, options: WorkerOptions, onStopped: () => void) {
    checkWorkerOptions(options)
    this.#engine = engine
    this.#attempts = {
      engine,
      handlers: new Map(Object.entries(options.handlers)),
      leaseMs: options.leaseMs ?? limits.jobLeaseMs,
      stopping: this.#stopping.signal,
      onDead: options.onDead,
    }
    this.#concurrency = options.concurrency ?? limits.jobConcurrencyDefault
    this.#slots = new TenantSlots(this.#concurrency)
    this.#batchSize = options.batchSize ?? 1
    this.#isBusy = options.isBusy ?? (() => false)
    this.#pollMs = options.pollMs ?? limits.jobPollMs
    this.#name = engine.system.newId('worker')
    this.#onStopped = onStopped
  }

  start(): this {
    this.#loop ??= this.#work()
    return this
  }

  /** A job may be due: polls now instead of at the next interval. */
  wake(): void {
    this.#woken = true
    this.#wake?.()
  }

  /** Whether the worker has a handler for this kind of job. */
  does(kind: string): boolean {
    return this.#attempts.handlers.has(kind)
  }

  /** Reserves a slot for a job that this process is about to store. The job starts at once and need not be claimed. */
  adopt(tenantId: string, kind: string): ReservedSlot | null {
    if (!this.does(kind) || this.#stopping.signal.aborted) return null
    const claimsBatches = this.#batchSize > 1
    // A worker that claims batches keeps slots free for one: new jobs must not take the place of those that wait.
    const isFull = this.#freeSlots <= (claimsBatches ? this.#batchSize : 0)
    if (isFull) this.#isBehind = claimsBatches
    if (isFull || this.#isBehind || !this.#slots.mayTakeMore(tenantId)) return null
    this.#reserved += 1
    this.#slots.add(tenantId)
    let isOpen = true
    const drop = () => {
      if (!isOpen) return
      isOpen = false
      this.#reserved -= 1
      this.#slots.remove(tenantId)
    }
    const start: ReservedSlot['start'] = (tenantId, job, input) => {
      drop()
      this.#start(tenantId, job, input, 0)
    }
    return { lease: this.#newLease(this.#engine.system.now()), start, release: drop }
  }

  /** Claims no more jobs, aborts the running ones, waits for them and releases those that are unfinished. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.wake()
    await this.#loop
    await Promise.all(this.#running)
    this.#onStopped()
  }

  async #work(): Promise<void> {
    let shortPolls = 0
    while (!this.#stopping.signal.aborted) {
      if (this.#woken) shortPolls = 0
      this.#woken = false
      let found = false
      if (this.#canClaim) {
        try {
          found = await this.#claimRound()
        } catch {
          // The database is unavailable; the next poll tries again. Running jobs notice it when they extend their leases.
        }
      }
      if (found) shortPolls = 0
      else await this.#idle(shortPollsMs[shortPolls++] ?? this.#pollMs)
    }
  }

  /** Claims one batch of each tenant that has due jobs. True when something was claimed, so there may be more. */
  async #claimRound(): Promise<boolean> {
    const seen = new Set<string>()
    let found = false
    while (this.#canClaim && !this.#stopping.signal.aborted) {
      await this.#pauseWhileBusy()
      if (this.#stopping.signal.aborted || !this.#canClaim) return found
      // By a clock that is years ahead every job would be due, and leased for years.
      if (await this.#engine.instants.isAhead()) return found
      const now = this.#engine.system.now()
      const claim = await leaseJobs(this.#engine, {
        now,
        kinds: [...this.#attempts.handlers.keys()],
        except: this.#slots.full(),
        // A small batch, so that a tenant with many jobs cannot fill every slot before the other tenants are served.
        limit: this.#batchSize,
        newLease: () => this.#newLease(now),
        callsOnDead: this.#attempts.onDead !== undefined,
      })
      if (!claim?.jobs.length) this.#isBehind = false
      this.#workedMsAtClaim = claim?.jobs.length ? activeMs() : null
      if (!claim) return found
      for (const job of claim.jobs) {
        if (claim.exhausted.has(job.jobId)) await this.#deadLetter(claim.tenantId, job)
        else if (job.status === 'leased') this.#start(claim.tenantId, job, undefined, claim.waited.get(job.jobId) ?? 0)
      }
      found ||= claim.jobs.length > 0
      // After the jobs, which are leased already: a schedule that cannot be fired must not cost them their leases.
      for (const schedule of claim.schedules)
        found = (await fireSchedule(this.#engine.tenant(claim.tenantId), schedule).catch(() => false)) || found
      // Without this, a tenant whose due jobs are of other workers' kinds would be offered forever.
      if (claim.jobs.length === 0 && seen.has(claim.tenantId)) return found
      seen.add(claim.tenantId)
    }
    return found
  }

  /** Jobs that wait get a quarter of the processor beside more urgent work, and all of it otherwise. */
  async #pauseWhileBusy(): Promise<void> {
    if (this.#workedMsAtClaim === null || !this.#isBusy()) return
    const ms = Math.min(3 * (activeMs() - this.#workedMsAtClaim), limits.jobPauseMsMax)
    await new Promise((resolve) => setTimeout(resolve, ms))
  }

  get #freeSlots(): number {
    return Math.max(this.#concurrency - this.#running.size - this.#reserved, 0)
  }

  get #canClaim(): boolean {
    return this.#freeSlots >= this.#batchSize
  }

  #newLease(now: number) {
    const leaseUntil = now + this.#attempts.leaseMs
    return { leaseToken: this.#engine.system.newId('lease'), worker: this.#name, leaseUntil }
  }

  #start(tenantId: string, job: Job, input: unknown, waitedMs: number): void {
    // An error here must not end the process: the lease runs out, and the job is retried.
    this.#slots.add(tenantId)
    const run = observeAttempt(job, waitedMs, () => runAttempt(this.#attempts, tenantId, job, input))
      .catch(() => {})
      .finally(() => {
        this.#running.delete(run)
        this.#slots.remove(tenantId)
        this.#engine.workers.endSuspectAttempt(job.jobId)
        this.wake()
      })
    this.#running.add(run)
  }

  /** Ends a poison pill: a job that lost too many leases. If `onDead` fails, what depends on the job stays for the operator. */
  async #deadLetter(tenantId: string, job: Job): Promise<void> {
    const { storage, system } = this.#engine
    await this.#attempts.onDead?.(tenantId, job).catch(() => {})
    await storage.jobs.update(tenantId, job.jobId, (current) => deadLetter(current, job.leaseToken ?? '', system.now()))
  }

  #idle(ms: number): Promise<void> {
    if (this.#woken || this.#stopping.signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#wake = null
        resolve()
      }
      const timer = setTimeout(done, ms)
      this.#wake = done
    })
  }
}
