import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import type { Engine } from '../../src/app/engine.ts'
import type { Job } from '../../src/core/jobs/job.ts'
import { builtInHandlers, endRunOfDeadLetter } from '../../src/jobs/built-in.ts'
import { Worker } from '../../src/jobs/worker.ts'
import { composeEngine, type OpenOptions, openStorage } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { leaseMs } from './messages.ts'

/** What executes runs in a server, without the server: leases are short here, so that crashes cost a test no time. */
export type RunHost = AsyncDisposable & {
  readonly engine: Engine
  startWorker(concurrency?: number): Worker
}

export type HostOptions = {
  readonly now?: () => number
  /** Stands between the engine and its store. */
  readonly wrap?: (storage: Storage) => Storage
}

export async function openHost(open: OpenOptions, options: HostOptions = {}): Promise<RunHost> {
  const { now = Date.now, wrap = (storage) => storage } = options
  const storage = wrap(await openStorage(open, now))
  const { engine, close, workers } = composeEngine(storage, nodeSystem(now), 'test', null)
  return {
    engine,
    startWorker(concurrency = 8) {
      const onDead = (tenantId: string, job: Job) => endRunOfDeadLetter(engine.tenant(tenantId), job)
      const options = { handlers: builtInHandlers(engine), concurrency, leaseMs, pollMs: 50, onDead }
      const worker = new Worker(engine, options, () => workers.delete(worker))
      workers.add(worker.start())
      return worker
    },
    [Symbol.asyncDispose]: close,
  }
}
