// Works through jobs whose effect is one entry that names the job, stored together with the job's completion.
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { openColophon } from '../../src/open.ts'
import { failureCode, programOptions, report, untilStopped } from '../support/child-program.ts'
import { leaseMs, memoryRef, type WorkerOptions } from './messages.ts'

const { open, concurrency, workMs } = programOptions<WorkerOptions>()
const colophon = await openColophon(open)

colophon.worker({
  concurrency,
  leaseMs,
  pollMs: 50,
  handlers: {
    async note({ tenantId, jobId, lease, signal }) {
      report({ kind: 'started', jobId })
      await (workMs === undefined ? once(signal, 'abort') : delay(workMs))
      try {
        await colophon.memory(tenantId).put(memoryRef, { content: jobId }, { completes: lease })
        report({ kind: 'stored', jobId })
      } catch (error) {
        report({ kind: 'refused', jobId, code: failureCode(error) })
        throw error
      }
    },
  },
})

await untilStopped()
await colophon.close()
