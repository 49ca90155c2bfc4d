import { readStats } from '../../app/stats.ts'
import type { HostMemory } from '../../core/memory-dimensions.ts'
import * as wire from '../../wire/stats.ts'
import { type App, principalOf, type RouteParts } from '../context.ts'

export function statsRoutes(app: App, { engine }: RouteParts, host: () => Promise<HostMemory>): void {
  app.get(
    '/v1/host/colophon/stats',
    {
      config: { access: 'memory:read' },
      schema: { tags: ['memory'], querystring: wire.NoQuery, response: { 200: wire.Stats } },
    },
    async (request) => readStats(engine.tenant(principalOf(request).tenantId), await host()),
  )
}
