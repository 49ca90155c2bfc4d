import { eachOf } from './pages.ts'
import { inTwo } from './protocol-version.ts'
import { type WatchOptions, watchRun, watchRunState } from './run-events.ts'
import type { StreamOptions } from './stream.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'
import { type WaitOptions, waitUntil } from './wait.ts'

type Reason = { readonly reason?: string | undefined }
type PollQuery = { readonly lastSequence?: number; readonly timeout?: number }

/** What `runs.wait` waits for. */
export type RunWaitOptions = WaitOptions<wire.RunEventPoll> & {
  /** `idle`: also resolve when the run is paused or waits for an interrupt. By default, only when the run has ended. */
  readonly until?: 'ended' | 'idle' | undefined
}

/** How long the server holds a poll open. It sees a change by another process after this time at the latest. */
const pollSeconds = 2
/** Events of a burst are read together. */
const pollPauseMs = 25

/**
 * Runs of workflows.
 *
 * @example
 * const { runId } = await client.runs.create({ workflowId: 'visit', inputs: { person: 'ada' } })
 * const { status, variables } = await client.runs.wait(runId)
 */
export function runCalls(transport: Transport) {
  const { send } = transport
  const list = (query?: wire.RunListQuery, options?: CallOptions) =>
    send<wire.RunPage>('GET /v1/host/colophon/runs', { query }, options)
  const get = (runId: string, options?: CallOptions) =>
    send<wire.RunSnapshot>('GET /v1/runs/{runId}', { path: { runId } }, options)
  const poll = (runId: string, query?: PollQuery, options?: CallOptions) =>
    send<wire.RunEventPoll>('GET /v1/runs/{runId}/events/poll', { path: { runId }, query }, options)
  return {
    /** Starts a run of a workflow. */
    create: (body: wire.RunDraft, options?: CallOptions) => send<wire.RunCreated>('POST /v1/runs', { body }, options),
    /** The state of a run, with its variables and nodes. */
    get,
    /** One page of runs, newest first. */
    list,
    /** All runs, page by page. */
    each: (query?: wire.RunListQuery, options?: CallOptions) =>
      eachOf('runs', (at) => list({ ...query, ...at }, options)),
    /** Cancels a run and its child runs. */
    cancel: (runId: string, body: Reason = {}, options?: CallOptions) =>
      send<wire.RunState>('POST /v1/runs/{runId}/cancel', { path: { runId }, body }, options),
    /** Cancels many runs. The response has one result for each. */
    cancelMany: (body: Reason & { readonly runIds: readonly string[] }, options?: CallOptions) =>
      send<wire.BulkCancelResult>('POST /v1/runs:bulk-cancel', { body }, options),
    /** Pauses a run after its current node, or at once. */
    pause: (runId: string, body: wire.PauseDraft = {}, options?: CallOptions) =>
      send<wire.RunState>('POST /v1/runs/{runId}:pause', { path: { runId }, body }, options),
    /** Continues a paused run. */
    resume: (runId: string, body: Reason = {}, options?: CallOptions) =>
      send<wire.RunState>('POST /v1/runs/{runId}:resume', { path: { runId }, body }, options),
    /**
     * Forks a run. `replay` repeats it on the memory that it read. `branch` inherits the events before `fromSeq` and
     * continues from there.
     *
     * @example await client.runs.fork(runId, { mode: 'branch', fromSeq: 4 })
     */
    fork: (runId: string, body: wire.ForkDraft, options?: CallOptions) =>
      send<wire.RunForked>('POST /v1/runs/{runId}:fork', { path: { runId }, body }, options),
    /** The log of a run so far. */
    events: (runId: string, query?: { readonly streamMode?: string }, options?: CallOptions) =>
      send<wire.RunEventList>('GET /v1/runs/{runId}/events', { path: { runId }, query }, options),
    /** The events after a sequence. Waits up to `timeout` seconds if there are none yet. */
    poll,
    /** All events so far, page by page. */
    async *eachEvent(runId: string, options?: CallOptions): AsyncGenerator<wire.RunEvent, void, undefined> {
      for (let lastSequence = -1; ; ) {
        const { events, lastEventSeq } = await poll(runId, { lastSequence, timeout: 0 }, options)
        if (events.length === 0) return
        yield* events
        lastSequence = lastEventSeq
      }
    },
    /**
     * A stream of the events of a run until it has ended, across restarts of the server.
     *
     * @example for await (const event of client.runs.watch(runId)) console.log(event.type)
     */
    watch: (runId: string, options?: WatchOptions) => watchRun(transport, runId, options),
    /** A stream of the state of a run, after each change, until it has ended. */
    watchState: (runId: string, options?: StreamOptions) => watchRunState(transport, runId, options),
    /** Resolves when the run has ended. With `until: 'idle'`, also when it is paused or waits for an interrupt. */
    async wait(runId: string, options: RunWaitOptions = {}): Promise<wire.RunSnapshot> {
      let lastSequence = -1
      const read = async () => {
        const answer = await poll(runId, { lastSequence, timeout: pollSeconds }, options)
        lastSequence = answer.lastEventSeq
        return answer
      }
      const hasEnded = ({ isTerminal, runStatus }: wire.RunEventPoll) =>
        isTerminal || (options.until === 'idle' && (runStatus === 'paused' || runStatus.startsWith('waiting-')))
      await waitUntil({ read, hasEnded, pauseMsMax: pollPauseMs }, transport.retry, options)
      return get(runId, options)
    },
    /** The snapshot of a run and each of its memory reads, in identifiers. */
    reads: (runId: string, options?: CallOptions) =>
      send<wire.RunReads>('GET /v1/host/colophon/runs/{runId}/reads', { path: { runId } }, options),
    /** What the nodes of a run changed, in identifiers. The host must speak version 2. */
    effects: (runId: string, options?: CallOptions) =>
      send<wire.RunEffects>('GET /runs/{runId}/effects', { path: { runId } }, inTwo(options)),
    /** Where runs change something outside of their log, and what keeps a replay from doing it again. The host must speak version 2. */
    effectSeams: (options?: CallOptions) => send<wire.EffectSeams>('GET /host/effect-seams', {}, inTwo(options)),
    /** The differences between two runs, event by event. */
    diff: (runId: string, against: string, options?: CallOptions) =>
      send<wire.RunDiff>('GET /v1/runs/{runId}:diff', { path: { runId }, query: { against } }, options),
    /** State and log of a run in one document, redacted, to attach to a bug report. */
    debugBundle: (runId: string, query?: { readonly maxEvents?: number }, options?: CallOptions) =>
      send<wire.DebugBundle>('GET /v1/runs/{runId}/debug-bundle', { path: { runId }, query }, options),
    /** One artifact of a run. */
    artifact: (runId: string, artifactId: string, options?: CallOptions) =>
      send<wire.Artifact>('GET /v1/runs/{runId}/artifacts/{artifactId}', { path: { runId, artifactId } }, options),
  }
}

/** Interrupts: approvals, clarifications and other values that runs wait for. */
export function interruptCalls({ send }: Transport) {
  return {
    /**
     * Resolves the interrupt of a node. Needs a key with the scope `approvals:respond`.
     *
     * @example await client.interrupts.answer(runId, 'approve', { action: 'accept' })
     */
    answer: (runId: string, nodeId: string, resumeValue: unknown, options?: CallOptions) =>
      send<wire.InterruptResolved>(
        'POST /v1/runs/{runId}/interrupts/{nodeId}',
        { path: { runId, nodeId }, body: { resumeValue } },
        options,
      ),
    /** A token for the open interrupt of a node, for a person without a key. Needs the scope `approvals:respond`. */
    token: (runId: string, nodeId: string, options?: CallOptions) =>
      send<wire.InterruptToken>(
        'GET /v1/host/colophon/runs/{runId}/interrupts/{nodeId}/token',
        { path: { runId, nodeId } },
        options,
      ),
    /** Reads an interrupt with its token. Needs no API key. */
    open: (token: string, options?: CallOptions) =>
      send<wire.Interrupt>('GET /v1/interrupts/{token}', { path: { token } }, options),
    /** Resolves an interrupt with its token. Needs no API key. */
    answerByToken: (token: string, resumeValue: unknown, options?: CallOptions) =>
      send<wire.InterruptResolved>('POST /v1/interrupts/{token}', { path: { token }, body: { resumeValue } }, options),
  }
}

/** Workflow definitions of the tenant. */
export function workflowCalls({ send }: Transport) {
  const list = (query?: wire.PageQuery, options?: CallOptions) =>
    send<wire.WorkflowPage>('GET /v1/host/colophon/workflows', { query }, options)
  return {
    /** One page of workflows, in order of id. */
    list,
    /** All workflows, page by page. */
    each: (query?: wire.PageQuery, options?: CallOptions) =>
      eachOf('workflows', (at) => list({ ...query, ...at }, options)),
    /** The newest version of a workflow. */
    get: (workflowId: string, options?: CallOptions) =>
      send<wire.Workflow>('GET /v1/workflows/{workflowId}', { path: { workflowId } }, options),
    /** Registers a workflow. A changed document becomes the next version. Existing runs keep their version. */
    put: (body: wire.WorkflowDocument, options?: CallOptions) =>
      send<wire.WorkflowStored>('POST /v1/host/colophon/workflows', { body }, options),
  }
}

/** Agents of the tenant. */
export function agentCalls({ send }: Transport) {
  return {
    /** All agents, each with the capabilities that it requests and this host lacks. */
    list: (options?: CallOptions) => send<wire.AgentInventory>('GET /v1/agents', {}, options),
    /** One agent, with the capabilities that it requests and this host lacks. */
    get: (agentId: string, options?: CallOptions) =>
      send<wire.AgentInventoryEntry>('GET /v1/agents/{agentId}', { path: { agentId } }, options),
    /** Installs or replaces an agent. */
    put: (body: wire.AgentManifest, options?: CallOptions) =>
      send<wire.AgentInventoryEntry>('POST /v1/host/colophon/agents', { body }, options),
    /** Removes an agent. */
    delete: (id: string, options?: CallOptions) =>
      send<wire.Deleted>('DELETE /v1/host/colophon/agents/{id}', { path: { id } }, options),
  }
}

/**
 * Webhooks: URLs that receive the events of the tenant's runs.
 *
 * @example
 * await client.webhooks.create({ url: 'https://hooks.example.com/colophon', events: ['run.failed'] })
 */
export function webhookCalls({ send }: Transport) {
  const deadLetters = (webhookId: string, query?: wire.PageQuery, options?: CallOptions) =>
    send<wire.DeadLetterPage>(
      'GET /v1/host/colophon/webhooks/{webhookId}/dead-letters',
      { path: { webhookId: bareId(webhookId) }, query },
      options,
    )
  return {
    /** All webhooks of the tenant, without URLs and secrets. */
    list: (options?: CallOptions) => send<wire.WebhookList>('GET /v1/webhooks', {}, options),
    /** Registers a webhook. Its secret is shown only in this response. */
    create: (body: wire.WebhookDraft, options?: CallOptions) =>
      send<wire.NewWebhook>('POST /v1/webhooks', { body }, options),
    /** Removes a webhook. */
    delete: (webhookId: string, options?: CallOptions) =>
      send<void>('DELETE /v1/webhooks/{webhookId}', { path: { webhookId } }, options),
    /**
     * Gives a webhook another secret, which is shown only in this response. The one before still signs for the overlap
     * that discovery states. The host must speak version 2.
     */
    rotateSecret: (webhookId: string, body: wire.SecretRotation = {}, options?: CallOptions) =>
      send<wire.RotatedSecret>(
        'POST /webhooks/{webhookId}/rotate-secret',
        { path: { webhookId }, body },
        inTwo(options),
      ),
    /** One page of the deliveries that failed too often, newest first, without content. */
    deadLetters,
    /**
     * All of them, page by page.
     *
     * @example
     * for await (const { deliveryId } of client.webhooks.eachDeadLetter(id)) await client.webhooks.redeliver(deliveryId)
     */
    eachDeadLetter: (webhookId: string, query?: wire.PageQuery, options?: CallOptions) =>
      eachOf('deliveries', (at) => deadLetters(webhookId, { ...query, ...at }, options)),
    /** Sends a dead letter again, with all its attempts. Its delivery is a job, which this retries. */
    redeliver: (deliveryId: string, options?: CallOptions) => {
      const path = { id: bareId(deliveryId) }
      return send<wire.Job>('POST /v1/host/colophon/jobs/{id}:retry', { path, repeat: 'once' }, options)
    },
  }
}

/** Ids of version 2 are `TENANT/ID`. What has no version takes the part after the tenant. */
function bareId(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1)
}
