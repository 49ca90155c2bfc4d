import { eachOf } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'

type Page = { readonly limit?: number | undefined; readonly cursor?: string | undefined }

/**
 * Containing a compromised source, and releasing it.
 *
 * @example
 * const { counts } = await client.containments.dryRun({ key: 'key_…', since: '2026-03-03T00:00:00Z' })
 * const { id } = await client.containments.apply({ key: 'key_…', since: '2026-03-03T00:00:00Z' })
 * await client.containments.release(id)
 */
export function containmentCalls({ send }: Transport) {
  const list = (query?: Page, options?: CallOptions) =>
    send<wire.ContainmentPage>('GET /v1/host/colophon/containments', { query }, options)
  return {
    /** One page of containments, oldest first. */
    list,
    /** All containments, page by page. */
    each: (query?: Page, options?: CallOptions) => eachOf('containments', (at) => list({ ...query, ...at }, options)),
    /** One containment, with one page of what it affects. */
    get: (id: string, query?: { readonly cursor?: string | undefined }, options?: CallOptions) =>
      send<wire.ContainmentWithAffected>('GET /v1/host/colophon/containments/{id}', { path: { id }, query }, options),
    /** Takes everything out of memory that came from the source, or was derived from it. */
    apply: (body: Omit<wire.ContainmentRequest, 'dryRun'>, options?: CallOptions) =>
      send<wire.ContainmentWithAffected>('POST /v1/host/colophon/containments', { body }, options),
    /** Lists what would be contained. Nothing is changed. */
    dryRun: (body: Omit<wire.ContainmentRequest, 'dryRun'>, options?: CallOptions) =>
      send<wire.ContainmentPreview>(
        'POST /v1/host/colophon/containments',
        { body: { ...body, dryRun: true }, repeat: 'read' },
        options,
      ),
    /** Undoes a containment. */
    release: (id: string, options?: CallOptions) =>
      send<wire.Containment>('POST /v1/host/colophon/containments/{id}:release', { path: { id } }, options),
  }
}
