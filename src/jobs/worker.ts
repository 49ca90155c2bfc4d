import type { Engine } from '../app/engine.ts'
import { freshContext, type RedactionState } from '../app/redaction/redaction-state.ts'
import type { Adoption } from '../app/workers.ts'
import { checkJson } from '../core/check.ts'
import { isColophonError } from '../core/errors.ts'
import { buryJob, extendLease, failJob, type Job, type JobLease, releaseJob } from '../core/jobs/job.ts'
import { limits } from '../core/limits.ts'
import { type Redacted, redactFailure, redactValue } from '../core/redaction/redaction.ts'
import { outcomeOf } from '../telemetry/observed.ts'
import { observeAttempt } from './attempt.ts'
import { checkWorkerOptions } from './check-worker-options.ts'
import { claimJobs } from './claim-jobs.ts'
import { HeldPlaces } from './held-places.ts'
import { JobError, toFailure } from './job-error.ts'
import type { JobHandler, RunningJob } from './running-job.ts'
import { fireSchedule } from './schedules.ts'

export type { JobHandler, RunningJob } from './running-job.ts'

export type WorkerOptions = {
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly concurrency?: number
  /**
   * How many jobs of one tenant are taken together, once that many places are free; 1 unless said. More is for short
   * jobs: finding each by itself would cost about as much as doing it.
   */
  readonly turn?: number
  readonly leaseMs?: number
  readonly pollMs?: number
  /** Told of every job that is about to be given up, so that what it stood for is ended first. It may be told again. */
  readonly onDead?: (tenantId: string, job: Job) => Promise<void>
}

/** How a job comes to be run: with what its maker handed over, and how long after it was due. */
type Beginning = { readonly input?: unknown; readonly waitedMs: number }

/** After being woken a worker looks again soon: another one may just have held what it was woken for. */
const shortLooksMs = [20, 100]

/** Works through due jobs until it is stopped. Any number of workers, in any number of processes, may run side by side. */
export class Worker {
  readonly #engine: Engine
  readonly #handlers: ReadonlyMap<string, JobHandler>
  readonly #concurrency: number
  readonly #turn: number
  readonly #leaseMs: number
  readonly #pollMs: number
  readonly #name: string
  readonly #onStopped: () => void
  readonly #onDead: WorkerOptions['onDead']
  readonly #running = new Set<Promise<void>>()
  readonly #held: HeldPlaces
  #reserved = 0
  /** Jobs were left waiting: those that come now queue up behind them. */
  #isBehind = false
  readonly #stopping = new AbortController()
  #wake: (() => void) | null = null
  #woken = false
  #loop: Promise<void> | null = null

  constructor(engine: Engine, options: WorkerOptions, onStopped: () => void) {
    this.#engine = engine
    checkWorkerOptions(options)
    this.#handlers = new Map(Object.entries(options.handlers))
    this.#concurrency = options.concurrency ?? limits.jobConcurrencyDefault
    this.#held = new HeldPlaces(this.#concurrency)
    this.#turn = options.turn ?? 1
    this.#leaseMs = options.leaseMs ?? limits.jobLeaseMs
    this.#pollMs = options.pollMs ?? limits.jobPollMs
    this.#name = engine.system.newId('worker')
    this.#onStopped = onStopped
    this.#onDead = options.onDead
  }

  start(): this {
    this.#loop ??= this.#work()
    return this
  }

  /** Something may be due: look now instead of at the next poll. */
  wake(): void {
    this.#woken = true
    this.#wake?.()
  }

  does(kind: string): boolean {
    return this.#handlers.has(kind)
  }

  /** A place for a job that this process is about to store: it begins without having to be found. */
  adopt(tenantId: string, kind: string): Adoption | null {
    if (!this.#handlers.has(kind) || this.#stopping.signal.aborted) return null
    if (this.#freePlaces === 0) this.#isBehind = this.#turn > 1
    if (this.#freePlaces === 0 || this.#isBehind || !this.#held.mayTakeMore(tenantId)) return null
    this.#reserved += 1
    this.#held.add(tenantId)
    let isOpen = true
    const drop = () => {
      if (!isOpen) return
      isOpen = false
      this.#reserved -= 1
      this.#held.remove(tenantId)
    }
    const start: Adoption['start'] = (tenantId, job, input) => {
      drop()
      this.#start(tenantId, job, { input, waitedMs: 0 })
    }
    return { lease: this.#newLease(this.#engine.system.now()), start, drop }
  }

  /** Takes no new job, tells the running ones to stop, waits for them and gives back what is unfinished. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.wake()
    await this.#loop
    await Promise.all(this.#running)
    this.#onStopped()
  }

  async #work(): Promise<void> {
    let looks = 0
    while (!this.#stopping.signal.aborted) {
      if (this.#woken) looks = 0
      this.#woken = false
      let found = false
      if (this.#hasRoom) {
        try {
          found = await this.#claimRound()
        } catch {
          // The database is away for a moment; the next poll tries again. Jobs under way notice by their leases.
        }
      }
      if (found) looks = 0
      else await this.#idle(shortLooksMs[looks++] ?? this.#pollMs)
    }
  }

  /** Offers each tenant with due work one turn. True when anything was taken, so there may be more. */
  async #claimRound(): Promise<boolean> {
    const seen = new Set<string>()
    let found = false
    while (this.#hasRoom && !this.#stopping.signal.aborted) {
      const now = this.#engine.system.now()
      const claim = await claimJobs(this.#engine, {
        now,
        kinds: [...this.#handlers.keys()],
        except: this.#held.full(),
        // Few at a time, so that a tenant with much work cannot fill every place before the others had a turn.
        limit: this.#turn,
        newLease: () => this.#newLease(now),
        isEndedFirst: this.#onDead !== undefined,
      })
      if (!claim?.jobs.length) this.#isBehind = false
      if (!claim) return found
      for (const job of claim.jobs) {
        if (claim.hopeless.has(job.jobId)) await this.#bury(claim.tenantId, job)
        else if (job.status === 'leased')
          this.#start(claim.tenantId, job, { waitedMs: claim.waited.get(job.jobId) ?? 0 })
      }
      found ||= claim.jobs.length > 0
      // After the jobs, which are leased already: a schedule that cannot be fired must not cost them their leases.
      for (const schedule of claim.schedules)
        found = (await fireSchedule(this.#engine.tenant(claim.tenantId), schedule).catch(() => false)) || found
      // A tenant whose due jobs are for other workers would come round for ever.
      if (claim.jobs.length === 0 && seen.has(claim.tenantId)) return found
      seen.add(claim.tenantId)
    }
    return found
  }

  get #freePlaces(): number {
    return Math.max(this.#concurrency - this.#running.size - this.#reserved, 0)
  }

  get #hasRoom(): boolean {
    return this.#freePlaces >= this.#turn
  }

  #newLease(now: number) {
    return { leaseToken: this.#engine.system.newId('lease'), worker: this.#name, leaseUntil: now + this.#leaseMs }
  }

  #start(tenantId: string, job: Job, { input, waitedMs }: Beginning): void {
    // Whatever goes wrong here is the job's: its lease runs out and it is tried again. It must not end the process.
    this.#held.add(tenantId)
    const run = observeAttempt(job, waitedMs, () => this.#run(tenantId, job, input))
      .catch(() => {})
      .finally(() => {
        this.#running.delete(run)
        this.#held.remove(tenantId)
        this.#engine.workers.tried(job.jobId)
        this.wake()
      })
    this.#running.add(run)
  }

  /** Says how it ended, in words of the host. */
  async #run(tenantId: string, job: Job, input: unknown): Promise<string> {
    const { storage, system } = this.#engine
    const lease: JobLease = { jobId: job.jobId, leaseToken: job.leaseToken ?? '', spent: false }
    const lost = new AbortController()
    const signal = AbortSignal.any([lost.signal, this.#stopping.signal])
    let note: { progress: unknown } | undefined
    let redaction: RedactionState | null = null
    type Note = { readonly progress: unknown }
    const extend = (clean: Redacted<Note> | undefined) => {
      const until = system.now() + this.#leaseMs
      return storage.jobs.update(tenantId, job.jobId, (job) => extendLease(job, lease.leaseToken, until, clean))
    }
    const heartbeat = setInterval(() => {
      const said = note
      const clean = said && redaction?.redact(({ scan }) => redactValue<Note>(said, scan))
      const extending = clean instanceof Promise ? clean.then(extend) : extend(clean)
      extending.catch((error) => {
        if (isColophonError(error, 'job_lease_lost') || isColophonError(error, 'job_not_found')) lost.abort()
      })
    }, this.#leaseMs / 3)
    try {
      redaction = (await freshContext(this.#engine.tenant(tenantId))).redaction
      const handler = this.#handlers.get(job.kind)
      const running: RunningJob = {
        tenantId,
        jobId: job.jobId,
        kind: job.kind,
        payload: job.payload,
        input,
        attempt: job.attempts,
        signal,
        lease,
        progress: (progress) => {
          checkJson('progress', progress, 'jobProgressBytesMax', limits.jobProgressBytesMax)
          note = { progress }
        },
      }
      const result = await handler?.(running)
      if (!lease.spent) await this.#complete(tenantId, lease, result)
      return 'ok'
    } catch (error) {
      if (!lease.spent) await this.#giveUp(tenantId, job, lease, error).catch(() => {})
      return this.#stopping.signal.aborted ? 'interrupted' : outcomeOf(error)
    } finally {
      clearInterval(heartbeat)
    }
  }

  async #complete(tenantId: string, lease: JobLease, result: unknown): Promise<void> {
    checkJson('result', result ?? null, 'jobResultBytesMax', limits.jobResultBytesMax)
    await this.#engine
      .tenant(tenantId)
      .commit({ kind: 'memory.written' }, { completes: lease, result, call: { operation: 'complete' } })
  }

  /** A job that was only interrupted by the worker's stop goes back unharmed; any other error is a failed attempt. */
  async #giveUp(
    tenantId: string,
    { attempts, attemptsMax, ...job }: Job,
    lease: JobLease,
    error: unknown,
  ): Promise<void> {
    const { storage, system } = this.#engine
    const { redaction } = await freshContext(this.#engine.tenant(tenantId))
    const { code, message } = toFailure(error)
    // Codes of the host are words of its own; those of a handler may be anything.
    const isOurs = !(error instanceof JobError)
    const failure = await redaction.redact(({ scan }) => redactFailure({ code, message }, scan, isOurs))
    const interrupted = this.#stopping.signal.aborted
    // First what the job stands for: cut off between the two, the job is found again, and not the other way round.
    if (!interrupted && attempts >= attemptsMax) await this.#onDead?.(tenantId, { ...job, attempts, attemptsMax })
    await storage.jobs.update(tenantId, lease.jobId, (current) =>
      interrupted
        ? releaseJob(current, lease.leaseToken, system.now())
        : failJob(current, lease.leaseToken, failure, system.now()),
    )
  }

  /** Ends a job that cost too many workers. What cannot be ended with it is left to whoever looks at the dead letter. */
  async #bury(tenantId: string, job: Job): Promise<void> {
    const { storage, system } = this.#engine
    await this.#onDead?.(tenantId, job).catch(() => {})
    await storage.jobs.update(tenantId, job.jobId, (current) => buryJob(current, job.leaseToken ?? '', system.now()))
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
