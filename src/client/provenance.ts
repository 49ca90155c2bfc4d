import { eachOf } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'
import { type WaitOptions, waitUntil } from './wait.ts'

/**
 * Memories about people, each with its source event.
 *
 * @example
 * const { job_id } = await client.memories.add({
 *   external_user_id: 'ada',
 *   messages: [{ role: 'user', content: 'I moved to Lisbon.' }],
 *   source: { service: 'crm', event_id: 'evt-17' },
 * })
 * await client.memories.wait(job_id)
 */
export function memoriesCalls({ send, retry }: Transport) {
  const list = (query: wire.MemoryQuery, options?: CallOptions) =>
    send<wire.MemoryPage>('GET /v1/memories', { query }, options)
  const job = (id: string, options?: CallOptions) =>
    send<wire.IngestJob>('GET /v1/memories/jobs/{id}', { path: { id } }, options)
  return {
    /** Stores a source event, and starts a job that extracts memories from its messages. */
    add: (body: wire.AddDraft, options?: CallOptions) =>
      send<wire.AddAnswer>('POST /v1/memories/add', { body }, options),
    /** The state of an ingest job. */
    job,
    /** Resolves when the ingest job is completed or dead. */
    wait: (jobId: string, options?: WaitOptions<wire.IngestJob>) =>
      waitUntil(
        // A failed attempt is retried, so `failed` is not the end.
        { read: () => job(jobId, options), hasEnded: ({ status }) => status === 'completed' || status === 'dead' },
        retry,
        options,
      ),
    /** Queues a dead ingest job again, with all its attempts. */
    retryJob: (id: string, options?: CallOptions) =>
      send<wire.IngestJob>('POST /v1/memories/jobs/{id}:retry', { path: { id }, repeat: 'once' }, options),
    /** One page of the memories about a person, newest first. */
    list,
    /** All memories about a person, page by page. */
    each: (query: wire.MemoryQuery, options?: CallOptions) =>
      eachOf('data', (at) => list({ ...query, ...at }, options)),
    /** One memory with its provenance. With `as_of`, as it was at that position or instant. */
    get: (id: string, query?: wire.MomentQuery, options?: CallOptions) =>
      send<wire.Memory>('GET /v1/memories/{id}', { path: { id }, query }, options),
    /** Changes the content or the importance, archives it, or puts it into every prompt (`always_include`). The response has the content for keys with `memory:read`. */
    patch: (id: string, body: wire.MemoryPatch, options?: CallOptions) =>
      send<wire.ChangedMemory>('PATCH /v1/memories/{id}', { path: { id }, body }, options),
    /** Deletes a memory. With `hard_delete`, every version of it is erased. */
    delete: (id: string, query?: { hard_delete?: boolean }, options?: CallOptions) =>
      send<wire.MemoryDeleted>('DELETE /v1/memories/{id}', { path: { id }, query }, options),
    /** Every version of a memory: what changed, when, by which actor, and why. */
    history: (id: string, options?: CallOptions) =>
      send<wire.MemoryHistory>('GET /v1/memories/{id}/history', { path: { id } }, options),
    /** The source events that state this memory. */
    sources: (id: string, options?: CallOptions) =>
      send<wire.MemorySources>('GET /v1/memories/{id}/sources', { path: { id } }, options),
    /**
     * The memories that match a query, best first, and a text of them for a prompt.
     *
     * @example
     * const { system_prompt_addition } = await client.memories.retrieve({ external_user_id: 'ada', query: 'Where is home?' })
     */
    retrieve: (body: wire.RetrieveDraft, options?: CallOptions) =>
      send<wire.Retrieval>('POST /v1/memories/retrieve', { body, repeat: 'read' }, options),
    /** The names that mean the same in the memories about a subject, and the memory that says so. */
    aliases: (subject: string, options?: CallOptions) =>
      send<wire.Aliases>('GET /v1/host/colophon/aliases', { query: { subject } }, options),
    /** Sets the other names of a subject; an empty list removes them. */
    setAliases: (subject: string, aliases: readonly string[], options?: CallOptions) =>
      send<wire.Aliases>('PUT /v1/host/colophon/aliases', { body: { subject, aliases } }, options),
    /** The memories that the extractor finds in messages. Nothing is stored. */
    previewExtraction: (messages: readonly wire.Message[], options?: CallOptions) =>
      send<wire.ExtractResult>(
        'POST /v1/host/colophon/extract:preview',
        { body: { messages }, repeat: 'read' },
        options,
      ),
  }
}

/** A source event by the id that it has in its service: `sourceService` is needed if several services use the id. */
type NamedSource = CallOptions & { readonly sourceService?: string | undefined }

/** Source events: what each service sent, and when. */
export function sourceCalls({ send }: Transport) {
  const list = (query?: wire.SourceEventQuery, options?: CallOptions) =>
    send<wire.SourceEventPage>('GET /v1/tenant/source-events', { query }, options)
  return {
    /** One page of source events, newest first. */
    list,
    /** All source events, page by page. */
    each: (query?: wire.SourceEventQuery, options?: CallOptions) =>
      eachOf('data', (at) => list({ ...query, ...at }, options)),
    /** One source event, by its id or by the `event_id` of its service, with the memories that it stated. */
    get: (id: string, { sourceService: source_service, ...options }: NamedSource = {}) =>
      send<wire.SourceEvent>('GET /v1/tenant/source-events/{id}', { path: { id }, query: { source_service } }, options),
    /** Compares messages with the payload hash of a source event. */
    verify: (
      id: string,
      messages: readonly object[],
      { sourceService: source_service, ...options }: NamedSource = {},
    ) =>
      send<wire.SourceVerified>(
        'POST /v1/tenant/source-events/{id}:verify',
        { path: { id }, query: { source_service }, body: { messages }, repeat: 'read' },
        options,
      ),
  }
}

/**
 * Writers: source services and their authority (0–100).
 *
 * @example
 * await client.writers.create({ service_key: 'crm', authority_rules: { default_priority: 80 } })
 */
export function writerCalls({ send }: Transport) {
  const list = (query?: wire.WriterQuery, options?: CallOptions) =>
    send<wire.WriterList>('GET /v1/tenant/service-writers', { query }, options)
  return {
    /** One page of writers, in order of service key. */
    list,
    /** All writers, page by page. */
    each: (query?: wire.WriterQuery, options?: CallOptions) =>
      eachOf('data', (at) => list({ ...query, ...at }, options)),
    /** Registers a source service as a writer. */
    create: (body: wire.WriterDraft, options?: CallOptions) =>
      send<wire.Writer>('POST /v1/tenant/service-writers', { body }, options),
    /** Changes a writer. Its earlier assertions keep their priority until `reresolve`. */
    patch: (id: string, body: wire.WriterChange, options?: CallOptions) =>
      send<wire.ChangedWriter>('PATCH /v1/tenant/service-writers/{id}', { path: { id }, body }, options),
    /** Starts a job that decides all claims of this writer with its current authority. */
    reresolve: (id: string, options?: CallOptions) =>
      send<wire.JobStarted>('POST /v1/tenant/service-writers/{id}:reresolve', { path: { id } }, options),
    /** The claims that other authority rules would decide for another winner. Nothing is stored. */
    preview: (id: string, authority_rules: wire.AuthorityRules, options?: CallOptions) =>
      send<wire.RulesPreviewResult>(
        'POST /v1/host/colophon/writers/{id}:preview',
        { path: { id }, body: { authority_rules }, repeat: 'read' },
        options,
      ),
    /** What other authority rules of several writers would change. Nothing is stored. */
    previewAuthority: (body: wire.AuthorityDraft, options?: CallOptions) =>
      send<wire.RulesPreviewResult>('POST /v1/host/colophon/authority:preview', { body, repeat: 'read' }, options),
    /** Stores the authority rules of several writers in one commit, and starts a job that decides their claims again. */
    changeAuthority: (body: wire.AuthorityDraft, options?: CallOptions) =>
      send<wire.AuthorityChanged>('POST /v1/host/colophon/authority', { body }, options),
  }
}

/** Claims: what sources state about the same thing, and which content wins. */
export function claimCalls({ send }: Transport) {
  const list = (query?: wire.ClaimQuery, options?: CallOptions) =>
    send<wire.ClaimPage>('GET /v1/host/colophon/claims', { query }, options)
  return {
    /** One page of claims. `status: 'contested'` lists those that need a decision. */
    list,
    /** All claims, page by page. */
    each: (query?: wire.ClaimQuery, options?: CallOptions) =>
      eachOf('claims', (at) => list({ ...query, ...at }, options)),
    /** One claim: its contents, their sources, and the winner. `contentsCursor` is the `cursor` of the next page of contents. */
    get: (id: string, options?: CallOptions, query?: wire.ContentsQuery) =>
      send<wire.Claim>('GET /v1/host/colophon/claims/{id}', { path: { id }, query }, options),
    /** What was current about a subject over time, one row for each claim. */
    timeline: (query: wire.TimelineQuery, options?: CallOptions) =>
      send<wire.Timeline>('GET /v1/host/colophon/timeline', { query }, options),
    /** Pins one memory as the winner of a claim, or removes the pin. */
    resolve: (id: string, body: wire.ClaimResolve, options?: CallOptions) =>
      send<wire.Claim>('POST /v1/host/colophon/claims/{id}:resolve', { path: { id }, body }, options),
  }
}

/** Memories below the floor for reads, which a person releases or rejects. */
export function quarantineCalls({ send }: Transport) {
  const list = (query?: wire.PageQuery, options?: CallOptions) =>
    send<wire.QuarantinePage>('GET /v1/host/colophon/quarantine', { query }, options)
  return {
    /** One page of memories in quarantine. */
    list,
    /** All memories in quarantine, page by page. */
    each: (query?: wire.PageQuery, options?: CallOptions) =>
      eachOf('memories', (at) => list({ ...query, ...at }, options)),
    /** Releases a memory: its next version is verified. */
    release: (id: string, body: wire.QuarantineDecision, options?: CallOptions) =>
      send<wire.QuarantineDecided>('POST /v1/host/colophon/quarantine/{id}:release', { path: { id }, body }, options),
    /** Rejects a memory: it ends. */
    reject: (id: string, body: wire.QuarantineDecision, options?: CallOptions) =>
      send<wire.QuarantineDecided>('POST /v1/host/colophon/quarantine/{id}:reject', { path: { id }, body }, options),
  }
}
