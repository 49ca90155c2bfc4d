import { nodeSystem } from '../src/adapters/system/node.ts'
import { add, ingestJobKind } from '../src/app/provenance/add.ts'
import { limits } from '../src/core/limits.ts'
import { hashPayload } from '../src/core/provenance/messages.ts'
import { builtInHandlers } from '../src/jobs/built-in.ts'
import { type JobHandler, Worker } from '../src/jobs/worker.ts'
import { composeEngine, openStorage } from '../src/open.ts'

const tenantId = 'default'
const caller = { actor: 'key:key_bootstrap', keyId: 'key_bootstrap', requestId: 'bench' }

export type Told = { readonly role: 'user'; readonly content: string; readonly claimKey?: string }

export type LibraryProvenance = Awaited<ReturnType<typeof openLibraryProvenance>>

/** Adding and its jobs in this process, as the server puts them together, without HTTP. */
export async function openLibraryProvenance(path: string) {
  const storage = await openStorage({ path }, Date.now)
  const { engine, close, workers } = composeEngine(storage, nodeSystem(), 'server', null)
  const waiting = new Map<string, () => void>()
  const handlers = builtInHandlers(engine)
  const ingest: JobHandler = async (job) => {
    const result = (await handlers[ingestJobKind]?.(job)) as { memoriesCreated: number }
    // A benchmark that stores nothing would look fast.
    if (result.memoriesCreated === 0) throw new Error('The benchmark told something that became no memory.')
    waiting.get(job.jobId)?.()
    waiting.delete(job.jobId)
  }
  const options = { handlers: { ...handlers, [ingestJobKind]: ingest }, concurrency: 64, leaseMs: 10_000 }
  const worker = new Worker(engine, options, () => workers.delete(worker)).start()
  workers.add(worker)

  /** Until its memories are stored: the job of the event has ended with them. */
  async function tell(subject: string, messages: readonly Told[], infer: boolean): Promise<void> {
    const facts = { subject, infer, agentId: null, metadata: {}, source: null }
    const request = { ...facts, messages, payloadHash: hashPayload(messages) }
    const { event } = await add(engine.tenant(tenantId), request, caller)
    // The job may be over already; then nobody will call.
    await new Promise<void>((resolve) => {
      waiting.set(event.jobId, resolve)
      void storage.jobs.get(tenantId, event.jobId).then((job) => {
        if (job?.status === 'completed') resolve()
      })
    })
    waiting.delete(event.jobId)
  }

  return {
    tell,
    /** That many claims of one subject, about things that nothing else speaks of. */
    async fillClaims(subject: string, count: number): Promise<void> {
      for (let told = 0; told < count; told += limits.messagesPerAddMax) {
        const size = Math.min(limits.messagesPerAddMax, count - told)
        const messages = Array.from({ length: size }, (_, at) => claimOf(`other.${told + at}`, 'is as it was told'))
        await tell(subject, messages, false)
      }
    },
    close,
  }
}

export function claimOf(key: string, content: string): Told {
  return { role: 'user', content: `${key} ${content}`, claimKey: key }
}
