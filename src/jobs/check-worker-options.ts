import { checkCount, checkKnownKeys } from '../core/check.ts'
import { invalid } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import type { WorkerOptions } from './worker.ts'

export function checkWorkerOptions(options: WorkerOptions): void {
  checkKnownKeys('options', options ?? null, ['handlers', 'concurrency', 'turn', 'leaseMs', 'pollMs', 'onDead'])
  const { handlers, concurrency = 1, turn = 1, leaseMs = limits.jobLeaseMs, pollMs = 1 } = options
  const areHandlers = handlers !== null && typeof handlers === 'object'
  if (!areHandlers || Object.values(handlers).some((handler) => typeof handler !== 'function')) {
    throw invalid('handlers', 'must be an object of functions, by kind of job')
  }
  checkCount('concurrency', concurrency, 1)
  checkCount('turn', turn, 1)
  if (turn > concurrency) throw invalid('turn', 'must be at most the concurrency')
  checkCount('leaseMs', leaseMs, limits.jobLeaseMsMin)
  checkCount('pollMs', pollMs, 1)
  if (concurrency > limits.jobConcurrencyMax) {
    throw invalid('concurrency', `must be at most ${limits.jobConcurrencyMax}`, {
      limit: 'jobConcurrencyMax',
      max: limits.jobConcurrencyMax,
    })
  }
}
