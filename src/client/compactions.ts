import { eachOf } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'

/** Many entries that become one. */
export function compactionCalls({ send }: Transport) {
  const list = (query?: wire.CompactionQuery, options?: CallOptions) =>
    send<wire.CompactionPage>('GET /v1/host/colophon/compactions', { query }, options)
  return {
    /** One page of compactions, newest first. */
    list,
    /** All compactions, page by page. */
    each: (query?: wire.CompactionQuery, options?: CallOptions) =>
      eachOf('compactions', (at) => list({ ...query, ...at }, options)),
    /** With every entry that went into it. */
    get: (id: string, options?: CallOptions) =>
      send<wire.Compaction>('GET /v1/host/colophon/compactions/{id}', { path: { id } }, options),
    /** Asks for a pass over one ref, which a job makes. */
    request: (body: Omit<wire.CompactionRequest, 'dryRun'>, options?: CallOptions) =>
      send<wire.CompactionStarted>('POST /v1/host/colophon/compactions', { body }, options),
    /** What a pass would do now. Nothing is stored. */
    dryRun: (body: Omit<wire.CompactionRequest, 'dryRun'>, options?: CallOptions) =>
      send<wire.CompactionDryRun>(
        'POST /v1/host/colophon/compactions',
        { body: { ...body, dryRun: true }, repeat: 'read' },
        options,
      ),
    /** Brings the entries back that became one. */
    undo: (id: string, options?: CallOptions) =>
      send<wire.Compaction>('POST /v1/host/colophon/compactions/{id}:undo', { path: { id } }, options),
  }
}
