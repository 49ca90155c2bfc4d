import { z } from 'zod'
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
