import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { attemptsMaxOf } from '../../../app/webhooks/delivery-jobs.ts'
import { sha256 } from '../../../core/audit/digest.ts'
import { isKnownTag } from '../../../http/etag.ts'
import { respond, route, toPattern } from '../../../http/route.ts'
import { negotiate } from '../../negotiation.ts'
import { advertise } from '../../openwop-v1/discovery.ts'
import { NoContent } from '../../schema-parts.ts'
import { advertiseV2 } from '../discovery.ts'
import { AnyDiscovery } from '../schemas/discovery.ts'

/** One resource with a representation for each version. Each has a tag of its own. */
export const discoveryRoutes = [
  route('getCapabilities', 'GET /.well-known/openwop', 'public', {
    summary: 'Discover capabilities and limits',
    description:
      'The OpenWOP discovery document. It lists only capabilities that are configured and work now. `OpenWOP-Version` selects the version of the document; without it, version 1. Supports `If-None-Match`.',
    tag: 'system',
    // Any query is accepted: probes and caches add their own parameters.
    query: z.looseObject({}),
    responses: { 200: AnyDiscovery, 304: NoContent },
    async handler({ parts: { facts, engine }, request }) {
      const { version } = negotiate('discovery', request.headers['openwop-version'])
      const mounted = {
        serves: servedBy(request.server),
        webhookAttemptsMax: attemptsMaxOf(engine.host),
      }
      const known = await facts()
      const document = version === '2.0' ? advertiseV2(known, mounted) : advertise(known)
      const etag = `"${sha256(JSON.stringify(document))}"`
      // The name of the tag before version 2, which knows only `ETag`.
      const legacy = version === '2.0' ? {} : { 'capabilities-etag': etag }
      const headers = { etag, ...legacy, 'cache-control': 'public, max-age=300', vary: 'OpenWOP-Version' }
      if (isKnownTag(request.headers['if-none-match'], etag)) return respond(null, { status: 304, headers })
      return respond(document, { headers })
    },
  }),
]

function servedBy(app: FastifyInstance) {
  return (operation: string) => {
    const [method = 'GET', path = ''] = operation.split(' ')
    return app.hasRoute({ method: method as 'GET', url: toPattern(path) })
  }
}
