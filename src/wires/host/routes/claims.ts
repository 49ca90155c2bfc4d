import { getClaim, listClaims, pinClaim } from '../../../app/provenance/claims.ts'
import { previewExtraction } from '../../../app/provenance/ingest.ts'
import { limits } from '../../../core/limits.ts'
import { type App, principalOf, type RouteParts, writeOptions } from '../../../http/context.ts'
import { markReplay } from '../../../http/replay.ts'
import { IdParams, NoQuery } from '../../params.ts'
import { Claim, ClaimPage, ClaimQuery, ClaimResolve, ExtractPreview, ExtractResult } from '../schemas/claims.ts'

const tags = ['claims']
const base = '/v1/host/colophon/claims'

/** What sources say about the same thing, who wins and why; and the inbox of those that only a person can settle. */
export function claimRoutes(app: App, { engine, stopping }: RouteParts): void {
  app.get(
    base,
    {
      config: { access: 'memory:read' },
      schema: { tags, querystring: ClaimQuery, response: { 200: ClaimPage } },
    },
    async (request) => {
      const { subject = null, status, limit = 0, cursor = null } = request.query
      const size = Math.min(limit > 0 ? limit : limits.pageEntriesDefault, limits.pageEntriesMax)
      const isContested = status === 'contested' ? true : null
      const query = { subject, isContested, after: cursor, limit: size + 1 }
      const found = await listClaims(engine.tenant(principalOf(request).tenantId), query)
      const claims = found.slice(0, size)
      const last = claims.at(-1)
      return { claims, ...(found.length > size && last ? { cursor: last.id } : {}) }
    },
  )
  app.get(
    `${base}/:id(^[^:]+$)`,
    {
      config: { access: 'memory:read' },
      schema: { tags, params: IdParams, querystring: NoQuery, response: { 200: Claim } },
    },
    async (request) => getClaim(engine.tenant(principalOf(request).tenantId), request.params.id),
  )
  app.post(
    `${base}/:id(^[^:]+$)::resolve`,
    {
      config: { access: 'memory:admin' },
      schema: { tags, params: IdParams, querystring: NoQuery, body: ClaimResolve, response: { 200: Claim } },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { claim, repeated } = await pinClaim(
        engine.tenant(tenantId),
        request.params.id,
        request.body,
        writeOptions(request),
      )
      markReplay(request, reply, repeated)
      return claim
    },
  )
  app.post(
    '/v1/host/colophon/extract::preview',
    {
      config: { access: 'memory:read' },
      schema: { tags, querystring: NoQuery, body: ExtractPreview, response: { 200: ExtractResult } },
    },
    async (request) => {
      const { extractor, candidates } = await previewExtraction(
        engine.tenant(principalOf(request).tenantId),
        request.body,
        stopping,
      )
      return { extractor, candidates: candidates.map(({ claimKey, ...rest }) => ({ ...rest, claim_key: claimKey })) }
    },
  )
}
