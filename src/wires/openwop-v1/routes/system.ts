import { z } from 'zod'
import { isReady } from '../../../app/capabilities.ts'
import { sha256 } from '../../../core/audit/digest.ts'
import { isKnownTag } from '../../../http/etag.ts'
import { respond, route } from '../../../http/route.ts'
import { NoContent } from '../../schema-parts.ts'
import { advertise } from '../discovery.ts'
import { Discovery, Health, Readiness } from '../schemas/system.ts'

const tag = 'system'
/** Any query is accepted: probes and caches add their own parameters. */
const query = z.looseObject({})

/** Health, readiness and discovery. They need no key. */
export const systemRoutes = [
  route('getHealth', 'GET /healthz', 'public', {
    summary: 'Check that the process responds',
    description: 'Needs no key and no database: for a liveness probe.',
    tag,
    query,
    responses: { 200: Health },
    handler: async () => ({ status: 'ok' as const }),
  }),
  route('getReadiness', 'GET /readyz', 'public', {
    summary: 'Check that requests can be served',
    description: '503 while the database cannot be reached: for a readiness probe.',
    tag,
    query,
    responses: { 200: Readiness, 503: Readiness },
    async handler({ parts, request }) {
      if (await isReady(parts.engine)) return { status: 'ready' as const }
      request.log.warn('not ready: the database does not answer')
      return respond({ status: 'unavailable' as const }, { status: 503 })
    },
  }),
  route('getDiscovery', 'GET /.well-known/openwop', 'public', {
    summary: 'Discover capabilities and limits',
    description:
      'The OpenWOP discovery document. It lists only capabilities that are configured and work now. Supports `If-None-Match`.',
    tag,
    query,
    responses: { 200: Discovery, 304: NoContent },
    async handler({ parts, request }) {
      const document = advertise(await parts.facts())
      const etag = `"${sha256(JSON.stringify(document))}"`
      const headers = { etag, 'cache-control': 'public, max-age=300' }
      if (isKnownTag(request.headers['if-none-match'], etag)) return respond(null, { status: 304, headers })
      return respond(document, { headers })
    },
  }),
]
