import { nodeSystem } from '../src/adapters/system/node-system.ts'
import { createRun } from '../src/app/runs/create-run.ts'
import { putWorkflow } from '../src/app/runs/workflow-registry.ts'
import { isEnded, runKeyOf } from '../src/core/run/run.ts'
import { builtInHandlers } from '../src/jobs/built-in.ts'
import { Worker } from '../src/jobs/worker.ts'
import { composeEngine, openStorage } from '../src/open.ts'
import { workflow, workflowId } from './run-raw-rows.ts'

export const tenantId = 'default'
/** As the audit names the key that the HTTP side uses: both sides store the same rows. */
export const runActor = 'key:key_bootstrap'

/** Our engine in this process, composed as in the server, without HTTP. */
async function openLibraryRuns(path: string) {
  const storage = await openStorage({ path }, Date.now)
  const { engine, close, workers } = composeEngine(storage, nodeSystem(), 'server', null)
  const options = { handlers: builtInHandlers(engine), concurrency: 64, leaseMs: 10_000 }
  const worker = new Worker(engine, options, () => workers.delete(worker)).start()
  workers.add(worker)
  await putWorkflow(engine.tenant(tenantId), workflow)
  return {
    async create(): Promise<string> {
      const { run } = await createRun(engine.tenant(tenantId), { workflowId }, { actor: runActor })
      return run.runId
    },
    async ended(runId: string): Promise<void> {
      for (;;) {
        const run = await storage.runs.get(tenantId, runId)
        if (run === null || (isEnded(run.status) && run.status !== 'completed')) throw new Error('The run went wrong.')
        if (isEnded(run.status)) return
        await engine.runWatch.wait(runKeyOf(tenantId, runId), run.nextSequence, undefined)
      }
    },
    close,
  }
}

/** A file with one run that our engine made: the raw side adds to it, and is compared with that run at the end. */
export async function prepareRawFile(path: string): Promise<void> {
  const runs = await openLibraryRuns(path)
  await runs.ended(await runs.create())
  await runs.close()
}
