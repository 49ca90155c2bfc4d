import { z } from 'zod'
import { readinessWarning, unreadiness } from '../../../app/capabilities.ts'
import { respond, route } from '../../../http/route.ts'
import { Health, Readiness } from '../schemas/system.ts'

const tag = 'system'
/** Any query is accepted: probes and caches add their own parameters. */
const query = z.looseObject({})

/** Health and readiness. They need no key. */
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
    description:
      '503 while the database cannot be reached or does not confirm writes in time, and while writes are refused because the clock of the server is far ahead: for a readiness probe.',
    tag,
    query,
    responses: { 200: Readiness, 503: Readiness },
    async handler({ parts, request }) {
      const reason = await unreadiness(parts.engine)
      if (reason !== null) {
        request.log.warn({ reason }, 'not ready')
        return respond({ status: 'unavailable' as const, reason }, { status: 503 })
      }
      const warning = readinessWarning(parts.engine)
      if (warning === null) return { status: 'ready' as const }
      if (warning === 'storage_full') {
        request.log.warn({ warning }, 'ready, but the last write found no room')
        return { status: 'ready' as const, warning }
      }
      const behindSeconds = Math.round(parts.engine.instants.behindMs / 1_000)
      request.log.warn({ warning, behindSeconds }, 'the clock is behind the records')
      return { status: 'ready' as const, warning, behindSeconds }
    },
  }),
]
