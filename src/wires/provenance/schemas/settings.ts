import { z } from 'zod'
import { list } from '../../schema-parts.ts'

/** Part of a tenant's settings. */
const CompactionPolicy = z.strictObject({
  enabled: z.boolean(),
  min_age_days: z.int(),
  keep_newest: z.int(),
  min_entries: z.int(),
  min_bytes: z.int(),
  tags: list(z.string()),
  skip_tags: list(z.string()),
  outputs: z.boolean(),
  max_input_entries: z.int(),
  max_output_bytes: z.int(),
})

export const Settings = z
  .strictObject({
    redaction_policy: z.enum(['rewrite', 'reject']),
    extraction_payload_retention_days: z.int(),
    history_retention_days: z.int(),
    session_summary: z.boolean(),
    default_writer_priority: z.int(),
    compaction: CompactionPolicy,
  })
  .meta({ id: 'TenantSettings' })

export const SettingsChange = z.record(z.string(), z.unknown()).meta({ id: 'TenantSettingsChange' })
