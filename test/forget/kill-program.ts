import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { findForget } from '../../src/app/forget/forget-record.ts'
import { startForget } from '../../src/app/forget/start-forget.ts'
import { loadConfig } from '../../src/config/config.ts'
import { retryJob } from '../../src/core/jobs/job.ts'
import { builtInHandlers } from '../../src/jobs/built-in.ts'
import { Worker } from '../../src/jobs/worker.ts'
import { composeEngine, openStorage } from '../../src/open.ts'
import { openSigner } from '../../src/operate/signing-key.ts'
import { openVault } from '../../src/operate/vault-key.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { programOptions, report } from '../support/child-program.ts'

/** Forgets a subject, and is killed just after the next commit of that. */
export type KillOptions = {
  readonly env: Readonly<Record<string, string>>
  readonly tenantId: string
  readonly subject: string
  /** How far the clock is ahead: the lease of the process before is over. */
  readonly aheadMs: number
}

const { env, tenantId, subject, aheadMs } = programOptions<KillOptions>()
const config = loadConfig(env)
const now = () => Date.now() + aheadMs
const storage = await openStorage(
  config.databaseUrl === null ? { path: `${config.dataDir}/colophon.db` } : { databaseUrl: config.databaseUrl },
  now,
)
const deadly: Storage = {
  ...storage,
  async commit(batch) {
    const committed = await storage.commit(batch)
    // The second process finds the fence there.
    if (batch.kind.startsWith('forget.') && !committed.repeated) process.kill(process.pid, 'SIGKILL')
    return committed
  },
}
const { engine, close, workers } = composeEngine(deadly, nodeSystem(now), 'test', openVault(config, []), {
  signer: openSigner(config),
})
const request = { selector: { kind: 'subject', value: subject }, reason: 'on request', cascade: true } as const
const { id, jobId } = await startForget(engine.tenant(tenantId), request, { idempotencyKey: 'once' })
const worker = new Worker(engine, { handlers: builtInHandlers(engine), pollMs: 20 }, () =>
  workers.delete(worker),
).start()
workers.add(worker)
for (;;) {
  const record = await findForget(engine.tenant(tenantId), id)
  if (record?.facts.receipt) {
    report(record.facts)
    break
  }
  const job = await engine.storage.jobs.get(tenantId, jobId)
  // A job whose process is killed very often becomes a dead letter, and an operator retries it.
  if (job?.status === 'dead') {
    await engine.storage.jobs.update(tenantId, jobId, (dead) => retryJob(dead, now()))
    worker.wake()
  }
  await new Promise((resolve) => setTimeout(resolve, 5))
}
await close()
