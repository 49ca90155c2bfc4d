import { nodeSystem } from '../src/adapters/system/node-system.ts'
import { add, ingestJobKind } from '../src/app/provenance/add.ts'
import { limits } from '../src/core/limits.ts'
import { hashPayload } from '../src/core/provenance/source-messages.ts'
import { builtInHandlers } from '../src/jobs/built-in.ts'
import { type JobHandler, Worker } from '../src/jobs/worker.ts'
import { composeEngine, openStorage } from '../src/open.ts'

const tenantId = 'default'
const caller = { actor: 'key:key_bootstrap', keyId: 'key_bootstrap', requestId: 'bench' }

export type SentMessage = { readonly role: 'user'; readonly content: string; readonly claimKey?: string }

export type LibraryProvenance = Awaited<ReturnType<typeof openLibraryProvenance>>

/** `add` and its jobs in this process, composed as in the server, without HTTP. */
export async function openLibraryProvenance(path: string) {
  const storage = await openStorage({ path }, Date.now)
  const { engine, close, workers } = composeEngine(storage, nodeSystem(), 'server', null)
  const waiting = new Map<string, () => void>()
  const handlers = builtInHandlers(engine)
  const ingest: JobHandler = async (job) => {
    const result = (await handlers[ingestJobKind]?.(job)) as { memoriesCreated: number }
    // A benchmark that stores nothing would look fast.
    if (result.memoriesCreated === 0) throw new Error('The benchmark sent a message that became no memory.')
    waiting.get(job.jobId)?.()
    waiting.delete(job.jobId)
  }
  const options = { handlers: { ...handlers, [ingestJobKind]: ingest }, concurrency: 64, leaseMs: 10_000 }
  const worker = new Worker(engine, options, () => workers.delete(worker)).start()
  workers.add(worker)

  /** Until its memories are stored: the job of the event has ended with them. */
  async function send(subject: string, messages: readonly SentMessage[], infer: boolean): Promise<void> {
    const facts = { subject, infer, agentId: null, metadata: {}, source: null }
    const request = { ...facts, messages, payloadHash: hashPayload(messages) }
    const { event } = await add(engine.tenant(tenantId), request, caller)
    // The job may have ended already; then there is no notification.
    await new Promise<void>((resolve) => {
      waiting.set(event.jobId, resolve)
      void storage.jobs.get(tenantId, event.jobId).then((job) => {
        if (job?.status === 'completed') resolve()
      })
    })
    waiting.delete(event.jobId)
  }

  return {
    send,
    /** That many claims of one subject, on keys that no other claim has. */
    async fillClaims(subject: string, count: number): Promise<void> {
      for (let sent = 0; sent < count; sent += limits.messagesPerAddMax) {
        const size = Math.min(limits.messagesPerAddMax, count - sent)
        const messages = Array.from({ length: size }, (_, at) => claimOf(`other.${sent + at}`, 'is as it was sent'))
        await send(subject, messages, false)
      }
    },
    close,
  }
}

export function claimOf(key: string, content: string): SentMessage {
  return { role: 'user', content: `${key} ${content}`, claimKey: key }
}
