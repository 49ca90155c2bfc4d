import { z } from 'zod'
import { checkCharacters } from '../../../core/check.ts'
import { limits } from '../../../core/limits.ts'
import { ruled } from '../../schema-parts.ts'
import { priority } from './writers.ts'

const daysMax = 36_500
const tag = ruled(z.string(), (field, value) =>
  checkCharacters(field, value, 'tagCharactersMax', limits.tagCharactersMax),
)
const tags = z.array(tag).max(64)

const CompactionPolicy = z
  .strictObject({
    enabled: z.boolean().describe('Whether the daily pass runs'),
    min_age_days: z.int().min(0).max(daysMax).describe('Younger entries stay as they are'),
    keep_newest: z.int().min(0).describe('So many of the newest entries of every ref stay as they are'),
    min_entries: z.int().min(2).describe('Fewer are not compacted; at most `max_input_entries`'),
    min_bytes: z.int().min(0).describe('Less text is not compacted'),
    tags: tags.readonly().describe('Only entries with one of these tags; without any, all'),
    skip_tags: tags.readonly().describe('Entries with one of these tags stay as they are'),
    outputs: z.boolean().describe('Whether an entry that a compaction made may be compacted again'),
    max_input_entries: z.int().min(2).max(limits.compactionSourcesMax).describe('How many entries may become one'),
    max_output_bytes: z
      .int()
      .min(limits.compactionOutputBytesMin)
      .max(limits.contentBytesMax)
      .describe('How large that one entry may be'),
  })
  .meta({ id: 'CompactionPolicy', description: 'Which entries are compacted, when, and into how much.' })

export const Settings = z
  .strictObject({
    redaction_policy: z
      .enum(['rewrite', 'reject'])
      .describe('Whether a secret in a text is replaced by a marker, or the whole write refused'),
    extraction_payload_retention_days: z
      .int()
      .min(0)
      .max(daysMax)
      .describe('How long the messages of source events are kept; 0 is until their job has ended'),
    history_retention_days: z.int().min(1).max(daysMax).describe('How far back memory can be read as it was'),
    session_summary: z.boolean().describe('Whether every run that ends leaves an entry under `runs:<workflow>`'),
    replay_expired: z
      .enum(['refuse', 'allow'])
      .describe('Whether a fork may return an entry that its source read before the entry expired'),
    default_writer_priority: priority.describe('The authority of calls that name no source'),
    require_bound_writers: z.boolean().describe('Whether a writer that is bound to no API key is refused as a source'),
    compaction: CompactionPolicy,
  })
  .meta({
    id: 'TenantSettings',
    description: 'The settings of the tenant.',
    examples: [
      {
        redaction_policy: 'rewrite',
        extraction_payload_retention_days: 30,
        history_retention_days: 90,
        session_summary: true,
        replay_expired: 'refuse',
        default_writer_priority: 0,
        require_bound_writers: false,
        compaction: {
          enabled: false,
          min_age_days: 30,
          keep_newest: 100,
          min_entries: 20,
          min_bytes: 0,
          tags: [],
          skip_tags: ['keep'],
          outputs: false,
          max_input_entries: 100,
          max_output_bytes: 8_192,
        },
      },
    ],
  })

const CompactionPolicyChange = CompactionPolicy.extend({ tags, skip_tags: tags }).partial().meta({
  id: 'CompactionPolicyChange',
  description: 'What changes of the compaction policy.',
})

export const SettingsChange = Settings.extend({ compaction: CompactionPolicyChange })
  .partial()
  .meta({
    id: 'TenantSettingsChange',
    description: 'What changes; every other setting stays as it is.',
    examples: [{ history_retention_days: 30, compaction: { enabled: true, skip_tags: ['keep'] } }],
  })
