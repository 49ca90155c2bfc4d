import { eachOf } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'

/** Refs and entries. */
export function memoryCalls({ send }: Transport) {
  const refs = (query?: wire.PageQuery, options?: CallOptions) =>
    send<wire.RefPage>('GET /v1/host/colophon/memory', { query }, options)
  const list = (ref: string, query?: wire.EntryQuery, options?: CallOptions) =>
    send<wire.EntryPage>('GET /v1/host/colophon/memory/{ref}/entries', { path: { ref }, query }, options)
  return {
    /** One page of the refs that hold entries, in order of their names. */
    refs,
    /** All refs, page by page. */
    eachRef: (query?: wire.PageQuery, options?: CallOptions) =>
      eachOf('refs', (at) => refs({ ...query, ...at }, options)),
    /** One page, newest first. */
    list,
    /** All of them, newest first; every page belongs to the first one, whatever is written meanwhile. */
    each: (ref: string, query?: wire.EntryQuery, options?: CallOptions) =>
      eachOf('entries', (at) => list(ref, { ...query, ...at }, options)),
    /** What bears on a question, best first. */
    search: (ref: string, query: string, more?: wire.SearchMore, options?: CallOptions) =>
      send<wire.SearchAnswer>(
        'POST /v1/host/colophon/memory/{ref}/search',
        { path: { ref }, body: { query, ...more }, repeat: 'read' },
        options,
      ),
    /** One entry; as it was, with `asOf`. */
    get: (ref: string, id: string, view?: wire.View, options?: CallOptions) =>
      send<wire.MemoryEntry>(
        'GET /v1/host/colophon/memory/{ref}/entries/{id}',
        { path: { ref, id }, query: view },
        options,
      ),
    /** Stores one entry. Secrets in it are redacted first. */
    put: (ref: string, body: wire.EntryDraft, options?: CallOptions) =>
      send<wire.MemoryEntry>('POST /v1/host/colophon/memory/{ref}/entries', { path: { ref }, body }, options),
    /** All or nothing; the last is the newest. */
    putMany: (ref: string, entries: readonly wire.EntryDraft[], options?: CallOptions) =>
      send<wire.EntryBatchResult>(
        'POST /v1/host/colophon/memory/{ref}/entries:batch',
        { path: { ref }, body: { entries } },
        options,
      ),
    /** Makes the next version of an entry, with the same id; what is left out stays. The answer has the content for keys with `memory:read`. */
    revise: (ref: string, id: string, body: wire.EntryPatch, options?: CallOptions) =>
      send<wire.RevisedEntry>(
        'PATCH /v1/host/colophon/memory/{ref}/entries/{id}',
        { path: { ref, id }, body },
        options,
      ),
    /** Ends one entry. Earlier snapshots keep it. */
    delete: (ref: string, id: string, options?: CallOptions) =>
      send<wire.Deleted>('DELETE /v1/host/colophon/memory/{ref}/entries/{id}', { path: { ref, id } }, options),
    /** Where an entry comes from. */
    colophon: (ref: string, id: string, view?: wire.View, options?: CallOptions) =>
      send<wire.EntryColophon>(
        'GET /v1/host/colophon/memory/{ref}/entries/{id}/colophon',
        { path: { ref, id }, query: view },
        options,
      ),
  }
}
