import { eachOf } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'
import { type WaitOptions, waitUntil } from './wait.ts'

/** Memories about people, with who told them. */
export function memoriesCalls({ send, retry }: Transport) {
  const list = (query: wire.MemoryQuery, options?: CallOptions) =>
    send<wire.MemoryPage>('GET /v1/memories', { query }, options)
  const job = (id: string, options?: CallOptions) =>
    send<wire.IngestJob>('GET /v1/memories/jobs/{id}', { path: { id } }, options)
  return {
    /** Takes what was said; memories are made of it a moment later. */
    add: (body: wire.AddDraft, options?: CallOptions) =>
      send<wire.AddAnswer>('POST /v1/memories/add', { body }, options),
    /** Where the job stands that makes memories of an event. */
    job,
    /** Resolves when memories were made of what `add` took, or never will be. */
    wait: (jobId: string, options?: WaitOptions<wire.IngestJob>) =>
      waitUntil(
        // A failed attempt is tried again, so it is not the end.
        { read: () => job(jobId, options), isOver: ({ status }) => status === 'completed' || status === 'dead' },
        retry,
        options,
      ),
    /** Runs a dead job again, with all its attempts. */
    retryJob: (id: string, options?: CallOptions) =>
      send<wire.IngestJob>('POST /v1/memories/jobs/{id}:retry', { path: { id }, repeat: 'once' }, options),
    /** One page of the memories about a person, newest first. */
    list,
    /** All memories about a person, page by page. */
    each: (query: wire.MemoryQuery, options?: CallOptions) =>
      eachOf('data', (at) => list({ ...query, ...at }, options)),
    /** One memory, with its provenance. */
    get: (id: string, options?: CallOptions) => send<wire.Memory>('GET /v1/memories/{id}', { path: { id } }, options),
    /** Changes the content, the importance or whether it is archived. The answer has the content for keys with `memory:read`. */
    patch: (id: string, body: wire.MemoryPatch, options?: CallOptions) =>
      send<wire.ChangedMemory>('PATCH /v1/memories/{id}', { path: { id }, body }, options),
    /** Deletes a memory; with `hard_delete`, erases every version of it. */
    delete: (id: string, query?: { hard_delete?: boolean }, options?: CallOptions) =>
      send<wire.MemoryDeleted>('DELETE /v1/memories/{id}', { path: { id }, query }, options),
    /** Every version of a memory: what changed, when, by which actor, and why. */
    history: (id: string, options?: CallOptions) =>
      send<wire.MemoryHistory>('GET /v1/memories/{id}/history', { path: { id } }, options),
    /** The source events that state this memory. */
    sources: (id: string, options?: CallOptions) =>
      send<wire.MemorySources>('GET /v1/memories/{id}/sources', { path: { id } }, options),
    /** What bears on a question, best first, and a text of it for a prompt. */
    retrieve: (body: wire.RetrieveDraft, options?: CallOptions) =>
      send<wire.Retrieval>('POST /v1/memories/retrieve', { body, repeat: 'read' }, options),
    /** What would be made of these messages. Nothing is stored. */
    previewExtraction: (messages: readonly wire.Message[], options?: CallOptions) =>
      send<wire.ExtractResult>(
        'POST /v1/host/colophon/extract:preview',
        { body: { messages }, repeat: 'read' },
        options,
      ),
  }
}

/** What services told, event by event. */
export function sourceCalls({ send }: Transport) {
  const list = (query?: wire.SourceEventQuery, options?: CallOptions) =>
    send<wire.SourceEventPage>('GET /v1/tenant/source-events', { query }, options)
  return {
    /** One page of source events, newest first. */
    list,
    /** All source events, page by page. */
    each: (query?: wire.SourceEventQuery, options?: CallOptions) =>
      eachOf('data', (at) => list({ ...query, ...at }, options)),
    /** One source event, with the memories that came of it. */
    get: (id: string, options?: CallOptions) =>
      send<wire.SourceEvent>('GET /v1/tenant/source-events/{id}', { path: { id } }, options),
    /** Is this what was told? */
    verify: (id: string, messages: readonly object[], options?: CallOptions) =>
      send<wire.SourceVerified>(
        'POST /v1/tenant/source-events/{id}:verify',
        { path: { id }, body: { messages }, repeat: 'read' },
        options,
      ),
  }
}

/** Services that tell memories, and how much their word counts. */
export function writerCalls({ send }: Transport) {
  const list = (query?: wire.WriterQuery, options?: CallOptions) =>
    send<wire.WriterList>('GET /v1/tenant/service-writers', { query }, options)
  return {
    /** One page of writers, in order of their service keys. */
    list,
    /** All writers, page by page. */
    each: (query?: wire.WriterQuery, options?: CallOptions) =>
      eachOf('data', (at) => list({ ...query, ...at }, options)),
    /** Registers a data source as a writer. */
    create: (body: wire.WriterDraft, options?: CallOptions) =>
      send<wire.Writer>('POST /v1/tenant/service-writers', { body }, options),
    /** Changes a writer. What it stated before keeps its priority until `reresolve`. */
    patch: (id: string, body: wire.WriterChange, options?: CallOptions) =>
      send<wire.Writer>('PATCH /v1/tenant/service-writers/{id}', { path: { id }, body }, options),
    /** Decides all claims of this writer anew, in a job. */
    reresolve: (id: string, options?: CallOptions) =>
      send<wire.JobStarted>('POST /v1/tenant/service-writers/{id}:reresolve', { path: { id } }, options),
    /** What other rules would change. Nothing is stored. */
    preview: (id: string, authority_rules: wire.AuthorityRules, options?: CallOptions) =>
      send<wire.RulesPreviewResult>(
        'POST /v1/host/colophon/writers/{id}:preview',
        { path: { id }, body: { authority_rules }, repeat: 'read' },
        options,
      ),
  }
}

/** What sources say about the same thing, and who wins. */
export function claimCalls({ send }: Transport) {
  const list = (query?: wire.ClaimQuery, options?: CallOptions) =>
    send<wire.ClaimPage>('GET /v1/host/colophon/claims', { query }, options)
  return {
    /** One page of claims; with `status: "contested"`, those that need a decision. */
    list,
    /** All claims, page by page. */
    each: (query?: wire.ClaimQuery, options?: CallOptions) =>
      eachOf('claims', (at) => list({ ...query, ...at }, options)),
    /** One claim: its contents, their sources, and the winner. `contentsCursor` is the `cursor` of the next contents. */
    get: (id: string, options?: CallOptions, query?: wire.ContentsQuery) =>
      send<wire.Claim>('GET /v1/host/colophon/claims/{id}', { path: { id }, query }, options),
    /** Pins the winner of a claim, or removes the pin. */
    resolve: (id: string, body: wire.ClaimResolve, options?: CallOptions) =>
      send<wire.Claim>('POST /v1/host/colophon/claims/{id}:resolve', { path: { id }, body }, options),
  }
}
