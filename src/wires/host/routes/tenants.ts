import { createTenant, listTenants, setTenantStatus } from '../../../app/access/tenants.ts'
import { respond, route } from '../../../http/route.ts'
import { idempotencyOf } from '../../../http/route-context.ts'
import { scheduleUpkeep } from '../../../jobs/upkeep.ts'
import { page } from '../../page.ts'
import { PageQuery } from '../../schema-parts.ts'
import { NewTenant, TenantDraft, TenantList, TenantView } from '../schemas/tenants.ts'

const base = '/v1/host/colophon/tenants'
const common = { tag: 'tenants' } as const

/** Tenants, for the operator. */
export const tenantRoutes = [
  route('listTenants', `GET ${base}`, 'operator', {
    ...common,
    summary: 'List tenants',
    description: 'All tenants of this server, by id. Needs the operator key.',
    query: PageQuery,
    responses: { 200: TenantList },
    async handler({ parts, query }) {
      const { items, next } = await page(query, 'id', (range) => listTenants(parts.engine, range))
      return { tenants: items, ...next }
    },
  }),
  route('createTenant', `POST ${base}`, 'operator', {
    ...common,
    summary: 'Create a tenant',
    description: 'Creates a tenant and its first key, which has every scope and is shown only in this response.',
    body: TenantDraft,
    responses: { 201: NewTenant },
    async handler({ parts: { engine }, body, request }) {
      const made = await createTenant(engine, body.id, idempotencyOf(request))
      await scheduleUpkeep(engine.tenant(made.id))
      return respond(made, { repeated: made.key.key === undefined })
    },
  }),
  route('disableTenant', `POST ${base}/{id}:disable`, 'operator', {
    ...common,
    summary: 'Disable a tenant',
    description: 'Requests with keys of the tenant are refused until it is enabled again. Its data is kept.',
    isUnkeyed: true,
    responses: { 200: TenantView },
    handler: async ({ parts, params }) => setTenantStatus(parts.engine, params.id, 'disabled'),
  }),
  route('enableTenant', `POST ${base}/{id}:enable`, 'operator', {
    ...common,
    summary: 'Enable a tenant',
    description: 'Keys of a disabled tenant work again.',
    isUnkeyed: true,
    responses: { 200: TenantView },
    handler: async ({ parts, params }) => setTenantStatus(parts.engine, params.id, 'active'),
  }),
]
