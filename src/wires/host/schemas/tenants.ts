import { z } from 'zod'
import { instant, list } from '../../schema-parts.ts'
import { NewKey } from './keys.ts'

export const TenantDraft = z.strictObject({ id: z.string() }).meta({ id: 'TenantDraft' })

export const TenantView = z
  .strictObject({ id: z.string(), status: z.enum(['active', 'disabled']), createdAt: instant })
  .meta({ id: 'Tenant' })

export const NewTenant = z.strictObject({ ...TenantView.shape, key: NewKey }).meta({ id: 'NewTenant' })

export const TenantList = z
  .strictObject({ tenants: list(TenantView), cursor: z.string().optional() })
  .meta({ id: 'TenantList' })
