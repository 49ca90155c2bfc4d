import { hostMemory } from '../../../app/capabilities.ts'
import { readStats } from '../../../app/stats.ts'
import { route } from '../../../http/route.ts'
import { Stats } from '../schemas/stats.ts'

export const statsRoutes = [
  route('getStats', 'GET /v1/host/colophon/stats', 'memory:read', {
    summary: 'Get statistics',
    description:
      'Counts of entries, claims, runs and jobs, what is used of each quota, and the changes of the last seven days by the hour.',
    tag: 'memory',
    responses: { 200: Stats },
    async handler({ tenant, parts: { facts, streamSlots, requestQueue } }) {
      const streams = streamSlots.ofTenant(tenant.id)
      const requestsInFlight = requestQueue.inFlightOf(tenant.id)
      return readStats(tenant, hostMemory(await facts()), { streams, requestsInFlight })
    },
  }),
]
