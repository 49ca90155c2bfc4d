import { readSigningKey } from '../../../app/forget/finish-forget.ts'
import { getForget, getReceiptEnvelope, listForgets } from '../../../app/forget/forget-record.ts'
import { forget } from '../../../app/forget/start-forget.ts'
import { limits } from '../../../core/limits.ts'
import { respond, route } from '../../../http/route.ts'
import { page } from '../../page.ts'
import {
  ForgetCounts,
  ForgetDraft,
  ForgetOrEnvelope,
  ForgetPage,
  ForgetQuery,
  ForgetStarted,
  ForgetsQuery,
  SigningKey,
} from '../schemas/forget.ts'

const base = '/v1/host/colophon/forget'
const common = { tag: 'forget' } as const

/** Erasure on request, and its receipts. */
export const forgetRoutes = [
  route('startForget', `POST ${base}`, 'memory:admin', {
    ...common,
    summary: 'Erase memory',
    description:
      'Hides all selected data in one commit, and starts a job that erases it from every table (202). With `dryRun` it only counts (200). For an unknown name, `matched` is 0.',
    body: ForgetDraft,
    responses: { 200: ForgetCounts, 202: ForgetStarted },
    async handler({ tenant, body, write }) {
      const result = await forget(tenant, body, write)
      if (result.dryRun) return result
      const { id, jobId, repeated, matched, mentions } = result
      const found = { matched, ...(mentions === undefined ? {} : { mentions }) }
      return respond({ id, status: 'erasing', jobId, ...found }, { status: 202, repeated })
    },
  }),
  route('listForgets', `GET ${base}`, 'memory:admin', {
    ...common,
    summary: 'List erasures',
    description: 'Erasures with their state and receipts, oldest first. The name of what was erased is not kept.',
    query: ForgetsQuery,
    responses: { 200: ForgetPage },
    async handler({ tenant, query: { subject, ...query } }) {
      const read = (range: { after: string | null; limit: number }) => listForgets(tenant, { subject, ...range })
      const { items, next } = await page(query, 'id', read, limits.forgetsPageMax)
      return { forgets: items, ...next }
    },
  }),
  route('getForget', `GET ${base}/{id}`, 'memory:admin', {
    ...common,
    summary: 'Get an erasure',
    description:
      'The state of one erasure. Once it is completed, it has a signed receipt. With `format=dsse`, only the receipt: an in-toto Statement in a DSSE envelope.',
    query: ForgetQuery,
    responses: { 200: ForgetOrEnvelope },
    handler: async ({ tenant, params, query }) =>
      query.format === 'dsse' ? getReceiptEnvelope(tenant, params.id) : getForget(tenant, params.id),
  }),
  route('getSigningKey', 'GET /v1/host/colophon/signing-key', 'public', {
    ...common,
    summary: 'Get the signing key',
    description:
      'The public key for the signature of receipts. It needs no API key, so that anyone can verify a receipt.',
    responses: { 200: SigningKey },
    handler: async ({ parts }) => ({ algorithm: 'Ed25519' as const, ...readSigningKey(parts.engine) }),
  }),
]
