import { createTenant, listTenants, setTenantStatus } from '../../../app/access/tenants.ts'
import { readQuotas, setQuotas } from '../../../app/quotas/manage-quotas.ts'
import { respond, route } from '../../../http/route.ts'
import { idempotencyOf } from '../../../http/route-context.ts'
import { scheduleUpkeep } from '../../../jobs/upkeep.ts'
import { page } from '../../page.ts'
import { PageQuery } from '../../schema-parts.ts'
import { NewTenant, QuotaChange, TenantDraft, TenantList, TenantQuotas, TenantView } from '../schemas/tenants.ts'

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
  route('getTenantQuotas', `GET ${base}/{id}/quotas`, 'operator', {
    ...common,
    summary: 'Get the quotas of a tenant',
    description: 'What the tenant can have at most. What it uses is in its statistics.',
    responses: { 200: TenantQuotas },
    handler: async ({ parts, params }) => readQuotas(parts.engine, params.id),
  }),
  route('setTenantQuotas', `PATCH ${base}/{id}/quotas`, 'operator', {
    ...common,
    summary: 'Set quotas of a tenant',
    description:
      'Sets the named quotas, and records it in the audit log of the tenant. What exceeds a lower quota already is kept; new writes are refused.',
    body: QuotaChange,
    responses: { 200: TenantQuotas },
    async handler({ parts, params, body, request }) {
      const { view, repeated } = await setQuotas(parts.engine, params.id, body, idempotencyOf(request))
      return respond(view, { repeated })
    },
  }),
]
