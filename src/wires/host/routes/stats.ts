import { hostMemory } from '../../../app/capabilities.ts'
import { readStats } from '../../../app/stats.ts'
import { route } from '../../../http/route.ts'
import { Stats } from '../schemas/stats.ts'

export const statsRoutes = [
  route('getStats', 'GET /v1/host/colophon/stats', 'memory:read', {
    summary: 'Get statistics',
    description: 'Counts of entries, claims, runs and jobs, and the changes of the last seven days by the hour.',
    tag: 'memory',
    responses: { 200: Stats },
    handler: async ({ tenant, parts }) => readStats(tenant, hostMemory(await parts.facts())),
  }),
]
