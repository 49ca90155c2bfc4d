import { ClientError, isClientError } from './error.ts'
import type { AddDraft, Client, EntryBatch } from './index.ts'

/** Options of every integration: who writes, and in which conversation. `trace` shows both for everything that is stored. */
export type WriterOptions = {
  /**
   * The writer that the memories name as their source. By default, the one that the key is bound to, or the name of the
   * integration. A writer that is not registered yet is registered with the authority of a call without a source, if the key
   * may do that; otherwise the write is refused with `writer_invalid`.
   */
  readonly service?: string | undefined
  /** What all source events of this integration have in common, or a function that is called for each of them. */
  readonly event?: EventDetails | ((call: SourceCall) => EventDetails) | undefined
}

/** Facts about a source event. They replace those that the integration knows itself; scopes are joined. */
export type EventDetails = {
  /** The id of the event. A second write with the same id stores nothing, so it must be another for each write. */
  readonly id?: string | undefined
  /** The conversation, thread or session. It is `session_id` in the scope. */
  readonly conversation?: string | undefined
  /** When it was observed; by default, when it is stored. */
  readonly observedAt?: string | Date | undefined
  readonly scope?: Readonly<Record<string, unknown>> | undefined
  readonly evidence?: readonly Readonly<Record<string, unknown>>[] | undefined
}

/** A write, as an integration knows it: its id, and the conversation, tool call, thread or run that it belongs to. */
export type SourceCall = {
  readonly id: string
  readonly scope: Readonly<Record<string, unknown>>
  readonly observedAt?: string | undefined
}

type Drafts = AddDraft extends infer Draft ? (Draft extends unknown ? Omit<Draft, 'source'> : never) : never

/** Stores memories as one writer, each call with its source event. */
export type SourceWriter = {
  /** Stores entries of a ref in one commit; a repeat of the same call stores nothing. */
  write(ref: string, batch: Omit<EntryBatch, 'source'>, call: SourceCall): ReturnType<Client['memory']['write']>
  /** Stores messages about a person. */
  add(draft: Drafts, call: SourceCall): ReturnType<Client['memories']['add']>
}

/** `fallback` is the service of an integration that was given none, and whose key is not bound to a writer. */
export function createSourceWriter(client: Client, { service, event }: WriterOptions, fallback: string): SourceWriter {
  // Undefined: the server takes the writer of the key.
  let name = service
  async function asWriter<T>(send: (service: { service?: string }) => Promise<T>): Promise<T> {
    const used = name
    try {
      return await send(used === undefined ? {} : { service: used })
    } catch (error) {
      if (!isClientError(error, 'writer_invalid') || error.details.field !== 'source.service') throw error
      if (used !== undefined) await register(client, used, error)
      else name ??= fallback
      return used === undefined ? asWriter(send) : send({ service: used })
    }
  }
  const detailsOf = (call: SourceCall): EventDetails => (typeof event === 'function' ? event(call) : (event ?? {}))
  return {
    write(ref, batch, call) {
      const { id, observedAt, scope, evidence } = factsOf(call, detailsOf(call))
      const source = { eventId: id, observedAt, scope, evidence }
      return asWriter((named) => client.memory.write(ref, { ...batch, source: { ...named, ...source } }))
    },
    add(draft, call) {
      const { id, observedAt, scope, evidence } = factsOf(call, detailsOf(call))
      const source = { event_id: id, observed_at: observedAt, scope, evidence }
      return asWriter((named) => client.memories.add({ ...draft, source: { ...named, ...source } } as AddDraft))
    },
  }
}

function factsOf(call: SourceCall, { id, conversation, observedAt, scope, evidence }: EventDetails) {
  const instant = observedAt ?? call.observedAt
  return {
    id: id ?? call.id,
    observedAt: instant instanceof Date ? instant.toISOString() : instant,
    scope: { ...call.scope, ...(conversation === undefined ? {} : { session_id: conversation }), ...scope },
    evidence: evidence === undefined ? undefined : evidence.map((item) => ({ ...item })),
  }
}

/** Registers a writer without authority over others. The original error is thrown if the key lacks the scope for it. */
async function register(client: Client, service: string, refused: ClientError): Promise<void> {
  try {
    await client.writers.create({ service_key: service, authority_rules: { default_priority: 0 } })
  } catch (error) {
    // Another process was faster, or the writer is inactive: the repeated write shows which.
    if (isClientError(error, 'service_key_exists')) return
    if (!isClientError(error, 'forbidden') && !isClientError(error, 'reader_forbidden')) throw error
    const message = `The writer "${service}" is not registered or not active, and this key cannot register it.`
    const hint = `Register it once (colophon writers add ${service}), or name another one with the option service.`
    throw new ClientError('writer_invalid', message, { status: refused.status, hint, details: refused.details })
  }
}

/** A service key made from any name: of an MCP client, for example. */
export function toServiceKey(name: string): string {
  const key = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 64)
  return key === '' ? 'client' : key
}
