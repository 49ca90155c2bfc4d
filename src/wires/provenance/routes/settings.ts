import { readSettings, writeSettings } from '../../../app/redaction/rules.ts'
import type { TenantSettings } from '../../../core/settings.ts'
import { respond, route } from '../../../http/route.ts'
import { Settings, SettingsChange } from '../schemas/settings.ts'
import { toCamel, toSnake } from '../snake-case.ts'

const tag = 'settings'
const path = '/v1/tenant/settings'
const access = 'memory:admin'

export const settingsRoutes = [
  route('getSettings', `GET ${path}`, access, {
    summary: 'Get the settings',
    description: 'Retention, redaction and compaction of the tenant.',
    tag,
    responses: { 200: Settings },
    handler: async ({ tenant }) => toView(await readSettings(tenant)),
  }),
  route('changeSettings', `PATCH ${path}`, access, {
    summary: 'Change settings',
    description: 'Changes the named settings. Omitted settings stay as they are, also within `compaction`.',
    tag,
    body: SettingsChange,
    responses: { 200: Settings },
    async handler({ tenant, body: { compaction = {}, ...change }, write }) {
      const named = { ...toCamel(change), compaction: toCamel(compaction) }
      const { settings, repeated } = await writeSettings(tenant, named, write)
      return respond(toView(settings), { repeated })
    },
  }),
]

function toView({ compaction, ...settings }: TenantSettings) {
  return { ...toSnake(settings), compaction: toSnake(compaction) }
}
