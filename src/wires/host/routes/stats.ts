import { hostMemory } from '../../../app/capabilities.ts'
import { readStats } from '../../../app/stats.ts'
import { type App, principalOf, type RouteParts } from '../../../http/context.ts'
import { NoQuery } from '../../params.ts'
import { Stats } from '../schemas/stats.ts'

export function statsRoutes(app: App, { engine, facts }: RouteParts): void {
  app.get(
    '/v1/host/colophon/stats',
    {
      config: { access: 'memory:read' },
      schema: { tags: ['memory'], querystring: NoQuery, response: { 200: Stats } },
    },
    async (request) => readStats(engine.tenant(principalOf(request).tenantId), hostMemory(await facts())),
  )
}
