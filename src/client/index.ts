import * as admin from './admin.ts'
import { type ChangesOptions, followChanges } from './changes.ts'
import { compactionCalls } from './compactions.ts'
import { embeddingsCalls } from './embeddings.ts'
import { forgetCalls } from './forget.ts'
import * as memories from './memories.ts'
import { memoryCalls } from './memory.ts'
import { portableCalls } from './portable.ts'
import * as runs from './runs.ts'
import { type ClientOptions, createTransport } from './transport.ts'

export type { ChangeEvent, ChangesOptions } from './changes.ts'
export { ClientError, type ClientErrorCode, isClientError, type KnownErrorCode, type TransportCode } from './error.ts'
export type { RetryOptions } from './retry.ts'
export type { WatchOptions } from './run-events.ts'
export type { RunWaitOptions } from './runs.ts'
export type { StreamOptions } from './stream.ts'
export type { CallOptions, ClientOptions, Operation, Request } from './transport.ts'
export type * from './types.ts'
export type { WaitOptions } from './wait.ts'

export type Client = ReturnType<typeof createClient>

/** Every call of the API, typed by the schemas that the server checks with. It needs fetch, and nothing else. */
export function createClient(options: ClientOptions) {
  const transport = createTransport(options)
  return {
    ...admin.systemCalls(transport),
    memory: memoryCalls(transport),
    memories: memories.memoriesCalls(transport),
    sources: memories.sourceCalls(transport),
    writers: memories.writerCalls(transport),
    claims: memories.claimCalls(transport),
    compactions: compactionCalls(transport),
    forget: forgetCalls(transport),
    embeddings: embeddingsCalls(transport),
    runs: runs.runCalls(transport),
    interrupts: runs.interruptCalls(transport),
    workflows: runs.workflowCalls(transport),
    agents: runs.agentCalls(transport),
    webhooks: runs.webhookCalls(transport),
    keys: admin.keyCalls(transport),
    secrets: admin.secretCalls(transport),
    rules: admin.ruleCalls(transport),
    settings: admin.settingsCalls(transport),
    jobs: admin.jobCalls(transport),
    schedules: admin.scheduleCalls(transport),
    audit: admin.auditCalls(transport),
    tenants: admin.tenantCalls(transport),
    ...portableCalls(transport),
    /** The tenant's memory changes as they happen, from any position, through restarts of the server. */
    changes: (streamOptions?: ChangesOptions) => followChanges(transport, streamOptions),
    /** Any call by its operation, such as 'GET /v1/memories/{id}': for a server newer than this client. */
    send: transport.send,
  }
}
