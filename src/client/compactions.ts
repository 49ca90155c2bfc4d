import { eachOf } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'

/**
 * Compaction: a job summarises many entries of a ref into one. The sources stay in history.
 *
 * @example
 * const { id, jobId } = await client.compactions.request({ memoryRef: 'agents/concierge', minAgeDays: 30 })
 * await client.jobs.wait(jobId)
 */
export function compactionCalls({ send }: Transport) {
  const list = (query?: wire.CompactionQuery, options?: CallOptions) =>
    send<wire.CompactionPage>('GET /v1/host/colophon/compactions', { query }, options)
  return {
    /** One page of compactions, newest first. */
    list,
    /** All compactions, page by page. */
    each: (query?: wire.CompactionQuery, options?: CallOptions) =>
      eachOf('compactions', (at) => list({ ...query, ...at }, options)),
    /** One compaction with the ids of all its sources. */
    get: (id: string, options?: CallOptions) =>
      send<wire.Compaction>('GET /v1/host/colophon/compactions/{id}', { path: { id } }, options),
    /** Starts a job that compacts the entries of one ref. */
    request: (body: Omit<wire.CompactionRequest, 'dryRun'>, options?: CallOptions) =>
      send<wire.CompactionStarted>('POST /v1/host/colophon/compactions', { body }, options),
    /** What a compaction would do now. Nothing is stored. */
    dryRun: (body: Omit<wire.CompactionRequest, 'dryRun'>, options?: CallOptions) =>
      send<wire.CompactionDryRun>(
        'POST /v1/host/colophon/compactions',
        { body: { ...body, dryRun: true }, repeat: 'read' },
        options,
      ),
    /** Restores the sources and ends the summary, in one commit. */
    undo: (id: string, options?: CallOptions) =>
      send<wire.Compaction>('POST /v1/host/colophon/compactions/{id}:undo', { path: { id } }, options),
  }
}
