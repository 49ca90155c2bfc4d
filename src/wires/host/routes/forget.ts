import { getForget, listForgets } from '../../../app/forget/record.ts'
import { forget } from '../../../app/forget/request.ts'
import { ColophonError } from '../../../core/errors.ts'
import { keyIdOf } from '../../../core/forget/receipt.ts'
import { limits } from '../../../core/limits.ts'
import { type App, principalOf, type RouteParts, writeOptions } from '../../../http/context.ts'
import { markReplay } from '../../../http/replay.ts'
import { IdParams, NoQuery } from '../../params.ts'
import { PageQuery } from '../../schema-parts.ts'
import { Forget, ForgetCounts, ForgetDraft, ForgetPage, ForgetStarted, SigningKey } from '../schemas/forget.ts'

const base = '/v1/host/colophon/forget'
const tags = ['forget']
const forAdmins = { access: 'memory:admin' } as const

/** Forgetting on request, and the receipts of it. */
export function forgetRoutes(app: App, { engine }: RouteParts): void {
  app.post(
    base,
    {
      config: forAdmins,
      schema: {
        tags,
        querystring: NoQuery,
        body: ForgetDraft,
        response: { 200: ForgetCounts, 202: ForgetStarted },
      },
    },
    async (request, reply) => {
      const answer = await forget(engine.tenant(principalOf(request).tenantId), request.body, writeOptions(request))
      if (answer.dryRun) return reply.code(200).send(answer)
      const { id, jobId, repeated } = answer
      markReplay(request, reply, repeated)
      return reply.code(202).send({ id, status: 'erasing', jobId })
    },
  )
  app.get(
    base,
    { config: forAdmins, schema: { tags, querystring: PageQuery, response: { 200: ForgetPage } } },
    async (request) => {
      const { limit = 0, cursor = null } = request.query
      const size = Math.min(limit > 0 ? limit : limits.pageEntriesDefault, limits.forgetsPageMax)
      const query = { after: cursor, limit: size + 1 }
      const found = await listForgets(engine.tenant(principalOf(request).tenantId), query)
      const forgets = found.slice(0, size)
      const last = forgets.at(-1)
      return { forgets, ...(found.length > size && last ? { cursor: last.id } : {}) }
    },
  )
  app.get(
    `${base}/:id`,
    { config: forAdmins, schema: { tags, params: IdParams, querystring: NoQuery, response: { 200: Forget } } },
    async (request) => getForget(engine.tenant(principalOf(request).tenantId), request.params.id),
  )
  app.get(
    '/v1/host/colophon/signing-key',
    { config: { access: 'public' }, schema: { tags, querystring: NoQuery, response: { 200: SigningKey } } },
    async () => {
      if (engine.host.signer === null) throw new ColophonError('signing_key_missing', 'This host signs nothing.')
      const { publicKey } = engine.host.signer
      return { algorithm: 'Ed25519' as const, keyId: keyIdOf(publicKey), publicKey }
    },
  )
}
