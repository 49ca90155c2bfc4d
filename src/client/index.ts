import * as admin from './admin.ts'
import { type ChangesOptions, followChanges, followCloudEvents } from './changes.ts'
import { commitmentCalls } from './commitments.ts'
import { compactionCalls } from './compactions.ts'
import { consolidationCalls } from './consolidations.ts'
import { containmentCalls } from './containments.ts'
import { distillationCalls } from './distillations.ts'
import { entryCalls } from './entries.ts'
import { forgetCalls } from './forget.ts'
import { heartbeatCalls } from './heartbeats.ts'
import { logCalls } from './log.ts'
import { portableCalls } from './portable.ts'
import { withProtocolVersion } from './protocol-version.ts'
import * as provenance from './provenance.ts'
import * as runs from './runs.ts'
import { type ClientOptions, createTransport } from './transport.ts'
import { workspaceCalls } from './workspace.ts'

export type { ChangeEvent, ChangesOptions } from './changes.ts'
export { ClientError, type ClientErrorCode, isClientError, type KnownErrorCode, type TransportCode } from './error.ts'
export type * from './log-types.ts'
export type { WireOption } from './protocol-version.ts'
export type { RetryOptions } from './retry.ts'
export type { WatchOptions } from './run-events.ts'
export type { RunWaitOptions } from './runs.ts'
export type { StreamOptions } from './stream.ts'
export type { CallOptions, ClientOptions, Operation, Request } from './transport.ts'
export type * from './types.ts'
export type { WaitOptions } from './wait.ts'
export type { MatchOptions } from './workspace.ts'

/** The client that `createClient` returns. */
export type Client = ReturnType<typeof createClient>

/**
 * A client for every call of the HTTP API, with the types of the schemas that the server validates with. It needs only
 * `fetch`, so it runs in Node, browsers and edge runtimes. Failed calls are retried when that is safe.
 *
 * @example
 * const client = createClient({ url: 'http://127.0.0.1:4242', key: 'ck_…' })
 * await client.memory.put('agents/concierge', { content: 'Ada prefers tea.' })
 * const { results } = await client.memory.search('agents/concierge', 'What does Ada drink?')
 */
export function createClient(options: ClientOptions) {
  const transport = withProtocolVersion(createTransport(options), options.wire ?? 1)
  return {
    ...admin.systemCalls(transport),
    memory: entryCalls(transport),
    memories: provenance.memoriesCalls(transport),
    sources: provenance.sourceCalls(transport),
    writers: provenance.writerCalls(transport),
    claims: provenance.claimCalls(transport),
    workspace: workspaceCalls(transport),
    quarantine: provenance.quarantineCalls(transport),
    compactions: compactionCalls(transport),
    consolidations: consolidationCalls(transport),
    distillations: distillationCalls(transport),
    commitments: commitmentCalls(transport),
    heartbeats: heartbeatCalls(transport),
    forget: forgetCalls(transport),
    containments: containmentCalls(transport),
    embeddings: admin.embeddingsCalls(transport),
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
    log: logCalls(transport),
    tenants: admin.tenantCalls(transport),
    ...portableCalls(transport),
    /**
     * A stream of the tenant's changes, from any position, across restarts of the server.
     *
     * @example
     * for await (const change of client.changes({ after: 41, signal })) console.log(change.event, change)
     */
    changes: (streamOptions?: ChangesOptions) => followChanges(transport, streamOptions),
    /**
     * The same stream as events of CloudEvents 1.0. A gap is an event of the type `colophon.memory.gap`.
     *
     * @example
     * for await (const { id, type, data } of client.cloudEvents({ after: 41, signal })) console.log(id, type, data)
     */
    cloudEvents: (streamOptions?: ChangesOptions) => followCloudEvents(transport, streamOptions),
    /**
     * Any call by its operation, for a server that is newer than this client.
     *
     * @example await client.send('GET /v1/memories/{id}', { path: { id } })
     */
    send: transport.send,
  }
}
