import { z } from 'zod'
import { limits } from '../../../core/limits.ts'
import { defaultQuotas, quotaNames } from '../../../core/quotas/quota.ts'
import { instant, list, nextCursor } from '../../schema-parts.ts'
import { NewKey, newKeyExample } from './keys.ts'

export const TenantDraft = z
  .strictObject({ id: z.string().describe('Letters, digits, dot, dash and underscore') })
  .meta({ id: 'TenantDraft', description: 'A tenant to create.', examples: [{ id: 'acme' }] })

const tenant = { id: 'acme', status: 'active', createdAt: '2026-03-01T12:00:00.000Z' }

export const TenantView = z
  .strictObject({ id: z.string(), status: z.enum(['active', 'disabled']), createdAt: instant })
  .meta({
    id: 'Tenant',
    description: 'A tenant. A disabled one keeps its data; its keys are refused.',
    examples: [tenant],
  })

export const NewTenant = z.strictObject({ ...TenantView.shape, key: NewKey }).meta({
  id: 'NewTenant',
  description: 'The tenant and its first key, which has every scope.',
  examples: [{ ...tenant, key: newKeyExample }],
})

export const TenantList = z
  .strictObject({ tenants: list(TenantView), cursor: nextCursor })
  .meta({ id: 'TenantList', description: 'One page of tenants, by id.', examples: [{ tenants: [tenant] }] })

const quota = z.int().min(0).max(limits.quotaMax)

/** A member for each quota, so that an unknown name is refused. */
const quotaMembers = <Value extends z.ZodType>(value: Value) =>
  Object.fromEntries(quotaNames.map((name) => [name, value])) as Record<(typeof quotaNames)[number], Value>

export const QuotaChange = z.strictObject(quotaMembers(quota.nullable().optional())).meta({
  id: 'QuotaChange',
  description: 'Quotas to set. Null resets a quota to its default; omitted ones stay as they are.',
  examples: [{ entries: 1_000_000, bytes: null }],
})

export const TenantQuotas = z
  .strictObject({
    tenant: z.string(),
    quotas: z.strictObject(quotaMembers(quota)),
    set: list(z.enum(quotaNames)).describe('The quotas that the operator has set; the others are defaults'),
  })
  .meta({
    id: 'TenantQuotas',
    description: 'The quotas of a tenant.',
    examples: [{ tenant: 'acme', quotas: { ...defaultQuotas, entries: 1_000_000 }, set: ['entries'] }],
  })
