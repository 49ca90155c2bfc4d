import { eachOf } from './pages.ts'
import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'

type Page = { readonly limit?: number | undefined; readonly cursor?: string | undefined }

/** Erasing on request, with receipts. */
export function forgetCalls({ send }: Transport) {
  const list = (query?: Page, options?: CallOptions) =>
    send<wire.ForgetPage>('GET /v1/host/colophon/forget', { query }, options)
  return {
    /** One page of erasures, newest first. */
    list,
    /** All erasures, page by page. */
    each: (query?: Page, options?: CallOptions) => eachOf('forgets', (at) => list({ ...query, ...at }, options)),
    /** Where it stands; with its receipt once it is done. */
    get: (id: string, options?: CallOptions) =>
      send<wire.Forget>('GET /v1/host/colophon/forget/{id}', { path: { id } }, options),
    /** Hides what is named at once; a job erases it. */
    request: (body: Omit<wire.ForgetRequest, 'dryRun'>, options?: CallOptions) =>
      send<wire.ForgetStarted>('POST /v1/host/colophon/forget', { body }, options),
    /** What would go. Nothing is stored. */
    dryRun: (body: Omit<wire.ForgetRequest, 'dryRun'>, options?: CallOptions) =>
      send<wire.ForgetCounts>(
        'POST /v1/host/colophon/forget',
        { body: { ...body, dryRun: true }, repeat: 'read' },
        options,
      ),
    /** What receipts of this host are checked with. */
    signingKey: (options?: CallOptions) => send<wire.SigningKey>('GET /v1/host/colophon/signing-key', {}, options),
  }
}
