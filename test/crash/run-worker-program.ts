// Executes runs until it is stopped, or until it is killed: right after one of its writes, or with a
// commit decided and not yet handed to the store.
import { setTimeout as delay } from 'node:timers/promises'
import type { Storage } from '../../src/ports/storage.ts'
import { failureCode, programOptions, report, untilStopped } from '../support/child-program.ts'
import { openHost } from './run-host.ts'
import type { RunWorkerMessage, RunWorkerOptions } from './run-messages.ts'

const { open, killAfterWrite, stopBeforeCommit, concurrency } = programOptions<RunWorkerOptions>()
const send = (message: RunWorkerMessage) => report(message)
let writes = 0
let commits = 0
let lookups = 0

function noteWrite(): void {
  writes += 1
  if (writes === killAfterWrite) process.kill(process.pid, 'SIGKILL')
}

/**
 * The whole process is suspended here, heartbeats included, until the test resumes it. Not while it holds a lock in the
 * database: others would have to wait until the database itself takes that away.
 */
async function standStill<T>(commit: () => Promise<T>): Promise<T> {
  while (lookups > 0) await delay(1)
  send({ kind: 'stopped' })
  process.kill(process.pid, 'SIGSTOP')
  return commit().then(
    (committed) => {
      send({ kind: 'stored' })
      return committed
    },
    (error: unknown) => {
      send({ kind: 'refused', code: failureCode(error) })
      throw error
    },
  )
}

async function counted<T>(lookup: Promise<T>): Promise<T> {
  lookups += 1
  return lookup.finally(() => (lookups -= 1))
}

function watched(storage: Storage): Storage {
  return {
    ...storage,
    async commit(batch) {
      if (batch.runs.length === 0) return storage.commit(batch)
      const isInExecution = batch.park === null && batch.finish === null
      commits += isInExecution ? 1 : 0
      const commit = () => storage.commit(batch)
      const committed = await (isInExecution && commits === stopBeforeCommit ? standStill(commit) : commit())
      noteWrite()
      return committed
    },
    jobs: {
      ...storage.jobs,
      async claim(request) {
        const claim = await counted(storage.jobs.claim(request))
        if (claim !== null && claim.jobs.length > 0) noteWrite()
        return claim
      },
      update: (...change) => counted(storage.jobs.update(...change)),
    },
  }
}

const host = await openHost(open, { wrap: watched })
host.startWorker(concurrency)
await untilStopped()
await host[Symbol.asyncDispose]()
