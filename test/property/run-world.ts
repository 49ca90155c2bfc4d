import assert from 'node:assert/strict'
import type { Engine } from '../../src/app/engine.ts'
import { writeSettings } from '../../src/app/redaction/rules.ts'
import { executeRun } from '../../src/app/runs/execute-run.ts'
import { putWorkflow } from '../../src/app/runs/workflow-registry.ts'
import { isColophonError } from '../../src/core/errors.ts'
import { acquireLease, cancelJob, completeJob, type Job, releaseJob } from '../../src/core/jobs/job.ts'
import { composeEngine } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import type { System } from '../../src/ports/system.ts'
import { dawn, toDefinition } from './run-definition.ts'
import { History } from './run-history.ts'
import type { FlowPlan } from './run-plan.ts'
import type { Act, During } from './run-script.ts'

/** A store that many scenarios share, each in its own tenant: opening one costs more than a scenario. */
export type Store = { readonly storage: Storage; readonly clock: { now: number } }

const drivesMax = 500

let tenants = 0
let leases = 0

/**
 * One tenant, its history and its workers. Nothing runs by itself: jobs are claimed one after the other, and every
 * concurrent step happens before a certain call of the store, so that every scenario can be repeated exactly.
 */
export class World {
  readonly tenantId = `scenario-${++tenants}`
  readonly history = new History()
  readonly storage: Storage
  readonly clock: { now: number }
  readonly engine: Engine
  readonly flows: readonly FlowPlan[]
  /** Set by run-acts.ts, which knows what acts mean. */
  onAct: (act: Act) => Promise<void> = async () => {}
  #plans: During[] = []
  #calls = 0
  #isActing = false
  #losesAnswer = false
  #worker: { stop: AbortController; died: PromiseWithResolvers<'died'> } | null = null

  constructor(store: Store, flows: readonly FlowPlan[]) {
    this.storage = store.storage
    this.clock = store.clock
    this.clock.now = dawn
    this.flows = flows
    this.engine = composeEngine(
      this.#watched(),
      countingSystem(() => this.clock.now),
      'scenario',
      null,
    ).engine
  }

  async registerFlows(): Promise<void> {
    // Replays are allowed to read expired entries in these scenarios; that expiry refuses a replay is tested beside the fork.
    await writeSettings(this.engine.tenant(this.tenantId), { replayExpired: 'allow' })
    for (const flow of this.flows.keys())
      await putWorkflow(this.engine.tenant(this.tenantId), toDefinition(this.flows, flow))
  }

  /** Works through everything that is due, while the plans happen. */
  async driveDue(plans: readonly During[] = []): Promise<void> {
    this.#plans = plans.toSorted((a, b) => a.before - b.before)
    this.#calls = 0
    for (let job = await this.claim(), drives = 1; job !== null; job = await this.claim(), drives++) {
      assert.ok(drives < drivesMax, `a job comes back without end: ${JSON.stringify(job.payload)}`)
      await this.drive(job)
    }
    this.#plans = []
    this.#losesAnswer = false
  }

  /** The next due job of this scenario. Jobs of failed scenarios are skipped. */
  async claim(): Promise<Job | null> {
    for (;;) {
      const { now } = this.clock
      const lease = { leaseToken: `lease-${++leases}`, worker: 'w', leaseUntil: now + 3_600_000 }
      const claim = await this.storage.jobs.claim({
        now,
        kinds: ['colophon.run'],
        limit: 1,
        change: (job) => acquireLease(job, lease, now),
      })
      if (claim === null) return null
      const [job] = claim.jobs
      if (claim.tenantId === this.tenantId) return job ?? null
      if (job) await this.storage.jobs.update(claim.tenantId, job.jobId, (left) => cancelJob(left, now))
    }
  }

  async drive(job: Job): Promise<void> {
    const { jobId, leaseToken, payload } = job
    const lease = { jobId, leaseToken: leaseToken ?? '', spent: false }
    const { runId } = payload as { runId: string }
    const outer = this.#worker
    const worker = { stop: new AbortController(), died: Promise.withResolvers<'died'>() }
    this.#worker = worker
    const driven = executeRun(this.engine.tenant(this.tenantId), runId, { lease, signal: worker.stop.signal })
    try {
      const end = await Promise.race([driven, worker.died.promise])
      if (lease.spent) return
      const { now } = this.clock
      if (end === 'died') await this.#update(job, (held) => releaseJob(held, lease.leaseToken, now))
      else await this.#update(job, (held) => completeJob(held, { leaseToken: lease.leaseToken, result: null }, now))
    } catch (error) {
      if (!worker.stop.signal.aborted || !isColophonError(error)) throw error
      if (!lease.spent) await this.#update(job, (held) => releaseJob(held, lease.leaseToken, this.clock.now))
    } finally {
      this.#worker = outer
    }
  }

  /** Runs one step in between, without other concurrent steps. */
  async undisturbed<T>(work: () => Promise<T>): Promise<T> {
    const outer = this.#isActing
    this.#isActing = true
    try {
      return await work()
    } finally {
      this.#isActing = outer
    }
  }

  async #update(job: Job, change: (job: Job) => Job): Promise<void> {
    try {
      await this.storage.jobs.update(this.tenantId, job.jobId, change)
    } catch (error) {
      // The commit whose response was lost had parked the job already.
      if (!isColophonError(error, 'job_lease_lost')) throw error
    }
  }

  async #beforeCall(): Promise<void> {
    if (this.#isActing) return
    const call = this.#calls++
    for (let plan = this.#plans[0]; plan && plan.before <= call; plan = this.#plans[0]) {
      const { act } = plan
      this.#plans.shift()
      if (act.do === 'stop') this.#worker?.stop.abort()
      else if (act.do !== 'crash') await this.undisturbed(() => this.onAct(act))
      else if (act.isAnswerLost) this.#losesAnswer = true
      else await this.#die()
    }
  }

  /** The worker has ended: its job is released, and its pending call never continues. */
  #die(): Promise<never> {
    this.#worker?.died.resolve('died')
    return new Promise(() => {})
  }

  /** The store as the program under test sees it. */
  #watched(): Storage {
    const { storage, history, clock } = this
    const { runs } = storage
    const on =
      <Args extends unknown[], T>(work: (...args: Args) => Promise<T>) =>
      async (...args: Args): Promise<T> => {
        await this.#beforeCall()
        return work(...args)
      }
    return {
      ...storage,
      // Every read of a record is a call on every store, so that something can happen before it, and at the same call on each.
      traits: { ...storage.traits, sharedAcrossProcesses: true },
      commit: on(async (batch) => {
        const committed = await storage.commit(batch)
        history.note(batch, committed, clock.now)
        if (this.#losesAnswer && !this.#isActing) {
          this.#losesAnswer = false
          await this.#die()
        }
        return committed
      }),
      get: on((query) => storage.get(query)),
      list: on((query) => storage.list(query)),
      listShown: on((query) => storage.listShown(query)),
      versions: on((tenantId, keys) => storage.versions(tenantId, keys)),
      record: on((tenantId, kind, id) => storage.record(tenantId, kind, id)),
      runs: {
        ...runs,
        get: on((tenantId, runId) => runs.get(tenantId, runId)),
        calls: on((query) => runs.calls(query)),
      },
    }
  }
}

/** Ids that count, so that every store gives the same ones. */
function countingSystem(now: () => number): System {
  let count = 0
  const next = () => String(++count).padStart(12, '0')
  return {
    now,
    newId: (prefix) => `${prefix}_${next()}`,
    newSalt: () => next(),
    newKey: () => new Uint8Array(32).fill(7),
    newSecret: () => next(),
    isSame: (a, b) => a === b,
  }
}
