import { eachOf } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'

type Page = {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  /** Only erasures of everything about this subject. */
  readonly subject?: string | undefined
}

/**
 * Erasure on request, with a signed receipt.
 *
 * @example
 * const { id, jobId } = await client.forget.request({ subject: 'ada', reason: 'Erasure request 2026-118' })
 * await client.jobs.wait(jobId)
 * const { receipt } = await client.forget.get(id)
 */
export function forgetCalls({ send }: Transport) {
  const list = (query?: Page, options?: CallOptions) =>
    send<wire.ForgetPage>('GET /v1/host/colophon/forget', { query }, options)
  return {
    /** One page of erasures, oldest first. */
    list,
    /** All erasures, page by page. */
    each: (query?: Page, options?: CallOptions) => eachOf('forgets', (at) => list({ ...query, ...at }, options)),
    /** One erasure. Once it is completed, it has a receipt. */
    get: (id: string, options?: CallOptions) =>
      send<wire.Forget>('GET /v1/host/colophon/forget/{id}', { path: { id } }, options),
    /**
     * The receipt of a completed erasure as an in-toto Statement in a DSSE envelope, for tools that verify attestations.
     *
     * @example
     * const { payload, signatures } = await client.forget.envelope(id)
     */
    envelope: (id: string, options?: CallOptions) =>
      send<wire.ReceiptEnvelope>(
        'GET /v1/host/colophon/forget/{id}',
        { path: { id }, query: { format: 'dsse' } },
        options,
      ),
    /** Hides the selected data at once, and starts a job that erases it. */
    request: (body: Omit<wire.ForgetRequest, 'dryRun'>, options?: CallOptions) =>
      send<wire.ForgetStarted>('POST /v1/host/colophon/forget', { body }, options),
    /** Counts what would be erased, by layer. Nothing is changed. */
    dryRun: (body: Omit<wire.ForgetRequest, 'dryRun'>, options?: CallOptions) =>
      send<wire.ForgetCounts>(
        'POST /v1/host/colophon/forget',
        { body: { ...body, dryRun: true }, repeat: 'read' },
        options,
      ),
    /** The public key that verifies receipts and exports of this host. */
    signingKey: (options?: CallOptions) => send<wire.SigningKey>('GET /v1/host/colophon/signing-key', {}, options),
  }
}
