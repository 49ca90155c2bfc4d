// Works through jobs until it is stopped, or is killed right after its nth write, or with that write decided and not yet stored.
import type { Storage } from '../../src/ports/storage.ts'
import { programOptions, untilStopped } from '../support/child-program.ts'
import type { CompactWorkerOptions } from './compact-kill.ts'
import { openHost } from './run-host.ts'

const { open, killAt, moment } = programOptions<CompactWorkerOptions>()
let writes = 0

async function around<T>(write: () => Promise<T>): Promise<T> {
  writes += 1
  const isLast = writes === killAt
  if (isLast && moment === 'before') process.kill(process.pid, 'SIGKILL')
  const done = await write()
  if (isLast) process.kill(process.pid, 'SIGKILL')
  return done
}

function watched(storage: Storage): Storage {
  return {
    ...storage,
    commit: (batch) => around(() => storage.commit(batch)),
    jobs: {
      ...storage.jobs,
      // Looking for work that is not there writes nothing.
      async claim(request) {
        const claim = await storage.jobs.claim(request)
        if (claim !== null && claim.jobs.length > 0) await around(async () => {})
        return claim
      },
    },
  }
}

const host = await openHost(open, { wrap: watched })
host.startWorker(1)
await untilStopped()
await host[Symbol.asyncDispose]()
