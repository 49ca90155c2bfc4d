import { eachOf } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'

/**
 * Entries under a memoryRef.
 *
 * @example
 * const entry = await client.memory.put('agents/concierge', { content: 'Ada prefers tea.', tags: ['preference'] })
 * const before = await client.memory.list('agents/concierge', { asOf: '2026-03-01T12:00:00Z' })
 */
export function entryCalls({ send }: Transport) {
  const refs = (query?: wire.PageQuery, options?: CallOptions) =>
    send<wire.RefPage>('GET /v1/host/colophon/memory', { query }, options)
  const list = (ref: string, query?: wire.EntryQuery, options?: CallOptions) =>
    send<wire.EntryPage>('GET /v1/host/colophon/memory/{ref}/entries', { path: { ref }, query }, options)
  return {
    /** One page of the memoryRefs that have entries, in order of name. */
    refs,
    /** All memoryRefs, page by page. */
    eachRef: (query?: wire.PageQuery, options?: CallOptions) =>
      eachOf('refs', (at) => refs({ ...query, ...at }, options)),
    /** One page of the entries of a ref, newest first. */
    list,
    /** All entries of a ref, newest first. Every page is read at the position of the first one. */
    each: (ref: string, query?: wire.EntryQuery, options?: CallOptions) =>
      eachOf('entries', (at) => list(ref, { ...query, ...at }, options)),
    /**
     * The entries that match a query, best first.
     *
     * @example
     * const { results } = await client.memory.search('agents/concierge', 'What does Ada drink?', { limit: 5 })
     */
    search: (ref: string, query: string, more?: wire.SearchMore, options?: CallOptions) =>
      send<wire.SearchAnswer>(
        'POST /v1/host/colophon/memory/{ref}/search',
        { path: { ref }, body: { query, ...more }, repeat: 'read' },
        options,
      ),
    /**
     * What the whole tenant has for a query: memories by their words, and refs, people, source events, claims and runs by name
     * or by the beginning of an id. Without a query, memories, the last change first.
     *
     * @example
     * const { memories, claims } = await client.memory.searchAll('ada tea')
     */
    searchAll: (query: string, more?: wire.TenantSearchMore, options?: CallOptions) =>
      send<wire.TenantSearchAnswer>(
        'POST /v1/host/colophon/search',
        { body: { query, ...more }, repeat: 'read' },
        options,
      ),
    /** One entry. With `asOf`, as it was at that position or instant. */
    get: (ref: string, id: string, view?: wire.ViewQuery, options?: CallOptions) =>
      send<wire.MemoryEntry>(
        'GET /v1/host/colophon/memory/{ref}/entries/{id}',
        { path: { ref, id }, query: view },
        options,
      ),
    /** Stores one entry. Secrets in its content are redacted first. */
    put: (ref: string, body: wire.EntryDraft, options?: CallOptions) =>
      send<wire.MemoryEntry>('POST /v1/host/colophon/memory/{ref}/entries', { path: { ref }, body }, options),
    /** Stores up to 1,000 entries in one commit: all or none. The last one is the newest. */
    putMany: (ref: string, entries: readonly wire.EntryDraft[], options?: CallOptions) =>
      send<wire.EntryBatchResult>(
        'POST /v1/host/colophon/memory/{ref}/entries:batch',
        { path: { ref }, body: { entries } },
        options,
      ),
    /**
     * Stores, revises and deletes entries in one commit. With a `source`, they have a source event: a retry with the same event
     * id stores nothing, also after a crash of your program.
     *
     * @example
     * const source = { service: 'assistant', eventId: 'call-17', scope: { session_id: 's-1' } }
     * await client.memory.write('agents/concierge', { entries: [{ content: 'Ada prefers tea.' }], source })
     */
    write: (ref: string, body: wire.EntryBatch, options?: CallOptions) =>
      send<wire.EntryBatchResult>(
        'POST /v1/host/colophon/memory/{ref}/entries:batch',
        { path: { ref }, body },
        options,
      ),
    /** Stores the next version of an entry. Omitted members stay. The response has the content for keys with `memory:read`. */
    revise: (ref: string, id: string, body: wire.EntryPatch, options?: CallOptions) =>
      send<wire.RevisedEntry>(
        'PATCH /v1/host/colophon/memory/{ref}/entries/{id}',
        { path: { ref, id }, body },
        options,
      ),
    /** Deletes one entry. Earlier snapshots keep it. */
    delete: (ref: string, id: string, options?: CallOptions) =>
      send<wire.Deleted>('DELETE /v1/host/colophon/memory/{ref}/entries/{id}', { path: { ref, id } }, options),
    /** The origin of an entry, each step of its history, and the audit record that proves it. */
    colophon: (ref: string, id: string, view?: wire.ViewQuery, options?: CallOptions) =>
      send<wire.EntryColophon>(
        'GET /v1/host/colophon/memory/{ref}/entries/{id}/colophon',
        { path: { ref, id }, query: view },
        options,
      ),
    /** The runs that read an entry, and the compactions that were made of it. */
    uses: (ref: string, id: string, options?: CallOptions) =>
      send<wire.EntryUses>('GET /v1/host/colophon/memory/{ref}/entries/{id}/uses', { path: { ref, id } }, options),
    /**
     * The provenance of an entry as a document in W3C PROV-JSON, without any text of a memory.
     *
     * @example
     * const { entity, wasDerivedFrom } = await client.memory.prov('agents/concierge', id)
     */
    prov: (ref: string, id: string, view?: wire.ViewQuery, options?: CallOptions) =>
      send<wire.ProvDocument>(
        'GET /v1/host/colophon/memory/{ref}/entries/{id}/colophon',
        { path: { ref, id }, query: { ...view, format: 'prov' } },
        options,
      ),
  }
}
