import { eachOf } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'

/**
 * Commitments: what entries ask for at a time or after an event, such as reminders.
 *
 * @example
 * const { commitments } = await client.commitments.list({ status: 'waiting' })
 * await client.commitments.create({ memoryRef: 'agents/concierge', intention: 'Call Ana', at: '2026-03-06T09:00:00Z' })
 */
export function commitmentCalls({ send }: Transport) {
  const list = (query?: wire.CommitmentQuery, options?: CallOptions) =>
    send<wire.CommitmentPage>('GET /v1/host/colophon/commitments', { query }, options)
  return {
    /** One page of commitments, in order of ref, newest first. */
    list,
    /** All commitments, page by page. */
    each: (query?: wire.CommitmentQuery, options?: CallOptions) =>
      eachOf('commitments', (at) => list({ ...query, ...at }, options)),
    /** One commitment, with the entry that it comes from and the run that it started. */
    get: (id: string, options?: CallOptions) =>
      send<wire.Commitment>('GET /v1/host/colophon/commitments/{id}', { path: { id } }, options),
    /** Creates a commitment: due at an instant, or once a statement is true. */
    create: (body: wire.CommitmentDraft, options?: CallOptions) =>
      send<wire.Commitment>('POST /v1/host/colophon/commitments', { body }, options),
    /** Changes a commitment that waits. */
    change: (id: string, body: wire.CommitmentChange, options?: CallOptions) =>
      send<wire.Commitment>('PATCH /v1/host/colophon/commitments/{id}', { path: { id }, body }, options),
    /** Cancels a commitment that waits. */
    cancel: (id: string, options?: CallOptions) =>
      send<wire.Commitment>('POST /v1/host/colophon/commitments/{id}:cancel', { path: { id } }, options),
  }
}
