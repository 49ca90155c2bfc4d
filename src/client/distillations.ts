import { eachOf } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'

/**
 * Distillation: a job makes one text of all entries of a ref, within a token budget. The sources stay.
 *
 * @example
 * const { id, jobId } = await client.distillations.request({ memoryRef: 'agents/concierge', tokenBudget: 8_000 })
 * await client.jobs.wait(jobId)
 * const { archiveId } = await client.distillations.get(id)
 */
export function distillationCalls({ send }: Transport) {
  const list = (query?: wire.DistillationQuery, options?: CallOptions) =>
    send<wire.DistillationPage>('GET /v1/host/colophon/distillations', { query }, options)
  return {
    /** One page of distillations, newest first. */
    list,
    /** All distillations, page by page. */
    each: (query?: wire.DistillationQuery, options?: CallOptions) =>
      eachOf('distillations', (at) => list({ ...query, ...at }, options)),
    /** One distillation with the ids of all its sources. */
    get: (id: string, options?: CallOptions) =>
      send<wire.Distillation>('GET /v1/host/colophon/distillations/{id}', { path: { id } }, options),
    /** Starts a job that distills one ref. A budget that is too small is refused at once. */
    request: (body: Omit<wire.DistillationRequest, 'dryRun'>, options?: CallOptions) =>
      send<wire.DistillationStarted>('POST /v1/host/colophon/distillations', { body }, options),
    /** What a distillation would read now, and the smallest budget for it. Nothing is stored. */
    dryRun: (body: Omit<wire.DistillationRequest, 'dryRun'>, options?: CallOptions) =>
      send<wire.DistillationDryRun>(
        'POST /v1/host/colophon/distillations',
        { body: { ...body, dryRun: true }, repeat: 'read' },
        options,
      ),
    /** Ends the archive and restores the index, in one commit. */
    undo: (id: string, options?: CallOptions) =>
      send<wire.Distillation>('POST /v1/host/colophon/distillations/{id}:undo', { path: { id } }, options),
  }
}
