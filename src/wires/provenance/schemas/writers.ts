import { z } from 'zod'
import { count, instant, list } from '../../schema-parts.ts'

const body = (id: string, description: string) => z.record(z.string(), z.unknown()).meta({ id, description })

export const WriterDraft = body(
  'ServiceWriterDraft',
  'service_key, display_name?, authority_rules?, api_key_id?, is_active?',
)

const rules = z.strictObject({ default_priority: z.int(), categories: z.record(z.string(), z.int()) })

export const Writer = z
  .strictObject({
    id: z.string(),
    service_key: z.string(),
    display_name: z.string().nullable(),
    authority_rules: rules,
    api_key_id: z.string().nullable(),
    is_active: z.boolean(),
    created_at: instant,
    updated_at: instant,
    rule_changes: list(z.strictObject({ at: instant, actor: z.string(), old: rules, new: rules })),
  })
  .meta({ id: 'ServiceWriter' })

export const WriterList = z
  .strictObject({ data: list(Writer), cursor: z.string().optional() })
  .meta({ id: 'ServiceWriterList' })

export const WriterQuery = z.strictObject({ limit: count.optional(), cursor: z.string().optional() })
