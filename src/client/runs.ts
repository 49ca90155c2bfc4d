import { eachOf } from './pages.ts'
import { type WatchOptions, watchRun, watchRunState } from './run-events.ts'
import type { StreamOptions } from './stream.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'
import { type WaitOptions, waitUntil } from './wait.ts'

type Reason = { readonly reason?: string | undefined }
type PollQuery = { readonly lastSequence?: number; readonly timeout?: number }

export type RunWaitOptions = WaitOptions<wire.RunEventPoll> & {
  /** `idle`: also when the run is paused or waits for an answer. Without it, only when the run has ended. */
  readonly until?: 'ended' | 'idle' | undefined
}

/** How long the server holds a poll. A change by another process, of which it gets no notice, is seen after this. */
const pollSeconds = 2
/** Events that come in a burst are read together. */
const pollPauseMs = 25

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
    /** Where a run stands, with its variables and the states of its nodes. */
    get,
    /** One page of runs, newest first. */
    list,
    /** All runs, page by page. */
    each: (query?: wire.RunListQuery, options?: CallOptions) =>
      eachOf('runs', (at) => list({ ...query, ...at }, options)),
    /** Ends a run and its children. */
    cancel: (runId: string, body: Reason = {}, options?: CallOptions) =>
      send<wire.RunState>('POST /v1/runs/{runId}/cancel', { path: { runId }, body }, options),
    /** Ends many runs; the answer has a result for each. */
    cancelMany: (body: Reason & { readonly runIds: readonly string[] }, options?: CallOptions) =>
      send<wire.BulkCancelResult>('POST /v1/runs:bulk-cancel', { body }, options),
    /** Stops a run after its current node, or at once. */
    pause: (runId: string, body: wire.PauseDraft = {}, options?: CallOptions) =>
      send<wire.RunState>('POST /v1/runs/{runId}:pause', { path: { runId }, body }, options),
    /** Continues a paused run. */
    resume: (runId: string, body: Reason = {}, options?: CallOptions) =>
      send<wire.RunState>('POST /v1/runs/{runId}:resume', { path: { runId }, body }, options),
    /** Repeats a run exactly, or goes another way from a point of it. */
    fork: (runId: string, body: wire.ForkDraft, options?: CallOptions) =>
      send<wire.RunForked>('POST /v1/runs/{runId}:fork', { path: { runId }, body }, options),
    /** The log as it stands. */
    events: (runId: string, query?: { readonly streamMode?: string }, options?: CallOptions) =>
      send<wire.RunEventList>('GET /v1/runs/{runId}/events', { path: { runId }, query }, options),
    /** The log behind a sequence; waits a while when there is nothing yet. */
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
    /** The log as it grows, to the end of the run, through restarts of the server. */
    watch: (runId: string, options?: WatchOptions) => watchRun(transport, runId, options),
    /** The run itself, each time it has changed. */
    watchState: (runId: string, options?: StreamOptions) => watchRunState(transport, runId, options),
    /** Resolves when the run has ended; with `until: 'idle'` also when it is paused or waits for an answer. */
    async wait(runId: string, options: RunWaitOptions = {}): Promise<wire.RunSnapshot> {
      let lastSequence = -1
      const read = async () => {
        const answer = await poll(runId, { lastSequence, timeout: pollSeconds }, options)
        lastSequence = answer.lastEventSeq
        return answer
      }
      const isOver = ({ isTerminal, runStatus }: wire.RunEventPoll) =>
        isTerminal || (options.until === 'idle' && (runStatus === 'paused' || runStatus.startsWith('waiting-')))
      await waitUntil({ read, isOver, pauseMsMax: pollPauseMs }, transport.retry, options)
      return get(runId, options)
    },
    /** What the run saw, in identifiers. */
    reads: (runId: string, options?: CallOptions) =>
      send<wire.RunReads>('GET /v1/host/colophon/runs/{runId}/reads', { path: { runId } }, options),
    /** Where two runs differ, event by event, and in their state. */
    diff: (runId: string, against: string, options?: CallOptions) =>
      send<wire.RunDiff>('GET /v1/runs/{runId}:diff', { path: { runId }, query: { against } }, options),
    /** What support needs to know of a run, redacted. */
    debugBundle: (runId: string, query?: { readonly maxEvents?: number }, options?: CallOptions) =>
      send<wire.DebugBundle>('GET /v1/runs/{runId}/debug-bundle', { path: { runId }, query }, options),
    /** One artifact of a run. */
    artifact: (runId: string, artifactId: string, options?: CallOptions) =>
      send<wire.Artifact>('GET /v1/runs/{runId}/artifacts/{artifactId}', { path: { runId, artifactId } }, options),
  }
}

/** Questions that runs wait on. */
export function interruptCalls({ send }: Transport) {
  return {
    /** Answers the question of a node, with a key. */
    answer: (runId: string, nodeId: string, resumeValue: unknown, options?: CallOptions) =>
      send<wire.InterruptResolved>(
        'POST /v1/runs/{runId}/interrupts/{nodeId}',
        { path: { runId, nodeId }, body: { resumeValue } },
        options,
      ),
    /** With the token that the question gave out, and without a key. */
    open: (token: string, options?: CallOptions) =>
      send<wire.Interrupt>('GET /v1/interrupts/{token}', { path: { token } }, options),
    /** Answers a question with its token, and without a key. */
    answerByToken: (token: string, resumeValue: unknown, options?: CallOptions) =>
      send<wire.InterruptResolved>('POST /v1/interrupts/{token}', { path: { token }, body: { resumeValue } }, options),
  }
}

export function workflowCalls({ send }: Transport) {
  const list = (query?: wire.PageQuery, options?: CallOptions) =>
    send<wire.WorkflowPage>('GET /v1/host/colophon/workflows', { query }, options)
  return {
    /** One page of workflows, in order of their ids. */
    list,
    /** All workflows, page by page. */
    each: (query?: wire.PageQuery, options?: CallOptions) =>
      eachOf('workflows', (at) => list({ ...query, ...at }, options)),
    /** The newest version of a workflow. */
    get: (workflowId: string, options?: CallOptions) =>
      send<wire.Workflow>('GET /v1/workflows/{workflowId}', { path: { workflowId } }, options),
    /** A changed document is a new version; runs keep theirs. */
    put: (body: wire.WorkflowDocument, options?: CallOptions) =>
      send<wire.WorkflowStored>('POST /v1/host/colophon/workflows', { body }, options),
  }
}

export function agentCalls({ send }: Transport) {
  return {
    /** All agents of the tenant, with what this host lacks for them. */
    list: (options?: CallOptions) => send<wire.AgentInventory>('GET /v1/agents', {}, options),
    /** One agent, with what this host lacks for it. */
    get: (agentId: string, options?: CallOptions) =>
      send<wire.AgentInventoryEntry>('GET /v1/agents/{agentId}', { path: { agentId } }, options),
    /** Installs an agent, or replaces it. */
    put: (body: wire.AgentManifest, options?: CallOptions) =>
      send<wire.AgentInventoryEntry>('POST /v1/host/colophon/agents', { body }, options),
    /** Removes an agent. */
    delete: (id: string, options?: CallOptions) =>
      send<wire.Deleted>('DELETE /v1/host/colophon/agents/{id}', { path: { id } }, options),
  }
}

/** Who is told of the tenant's runs. */
export function webhookCalls({ send }: Transport) {
  return {
    /** All webhooks of the tenant, without their addresses. */
    list: (options?: CallOptions) => send<wire.WebhookList>('GET /v1/webhooks', {}, options),
    /** Subscribes an address to events. The secret is shown once. */
    create: (body: wire.WebhookDraft, options?: CallOptions) =>
      send<wire.NewWebhook>('POST /v1/webhooks', { body }, options),
    /** Removes a webhook. */
    delete: (webhookId: string, options?: CallOptions) =>
      send<void>('DELETE /v1/webhooks/{webhookId}', { path: { webhookId } }, options),
  }
}
