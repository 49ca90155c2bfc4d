import { readSettings, writeSettings } from '../../../app/rules.ts'
import { type App, principalOf, type RouteParts, writeOptions } from '../../../http/context.ts'
import { markReplay } from '../../../http/replay.ts'
import { NoQuery } from '../../params.ts'
import { Settings, SettingsChange } from '../../provenance/schemas/settings.ts'

const forAdmins = { access: 'memory:admin' } as const

export function settingsRoutes(app: App, { engine }: RouteParts): void {
  app.get(
    '/v1/tenant/settings',
    { config: forAdmins, schema: { tags: ['settings'], querystring: NoQuery, response: { 200: Settings } } },
    async (request) => readSettings(engine.tenant(principalOf(request).tenantId)),
  )
  app.patch(
    '/v1/tenant/settings',
    {
      config: forAdmins,
      schema: {
        tags: ['settings'],
        querystring: NoQuery,
        body: SettingsChange,
        response: { 200: Settings },
      },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { settings, repeated } = await writeSettings(engine.tenant(tenantId), request.body, writeOptions(request))
      markReplay(request, reply, repeated)
      return settings
    },
  )
}
