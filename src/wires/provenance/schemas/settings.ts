import { z } from 'zod'
import { checkCharacters } from '../../../core/check.ts'
import { invalid } from '../../../core/errors.ts'
import { isTimezone } from '../../../core/jobs/timing.ts'
import { limits } from '../../../core/limits.ts'
import { workflowLimits } from '../../../core/workflow/workflow-limits.ts'
import { trustClass, withCheck } from '../../schema-parts.ts'
import { priority } from './writers.ts'

const daysMax = 36_500
const tag = withCheck(z.string(), (field, value) =>
  checkCharacters(field, value, 'tagCharactersMax', limits.tagCharactersMax),
)
const tags = z.array(tag).max(64)
const timezone = withCheck(z.string(), (field, value) => {
  if (!isTimezone(value)) throw invalid(field, 'must be the IANA name of a time zone, such as Europe/Berlin')
})

const CompactionPolicy = z
  .strictObject({
    enabled: z.boolean().describe('Whether the daily pass runs'),
    min_age_days: z.int().min(0).max(daysMax).describe('Younger entries are not compacted'),
    keep_newest: z.int().min(0).describe('This many of the newest entries of each ref are not compacted'),
    min_entries: z.int().min(2).describe('The minimum number of entries of a compaction; at most `max_input_entries`'),
    min_bytes: z.int().min(0).describe('The minimum size of the entries of a compaction'),
    tags: tags.readonly().describe('Only entries with one of these tags; if empty, all entries'),
    skip_tags: tags.readonly().describe('Entries with one of these tags are not compacted'),
    outputs: z.boolean().describe('Whether the output of a compaction can be compacted again'),
    max_input_entries: z
      .int()
      .min(2)
      .max(limits.compactionSourcesMax)
      .describe('The maximum number of entries that become one'),
    max_output_bytes: z
      .int()
      .min(limits.compactionOutputBytesMin)
      .max(limits.contentBytesMax)
      .describe('The maximum size of the summary'),
  })
  .meta({ id: 'CompactionPolicy', description: 'Which entries are compacted, and the limits of a summary.' })

export const Settings = z
  .strictObject({
    redaction_policy: z
      .enum(['rewrite', 'reject'])
      .describe('`rewrite`: a secret in a text is replaced by a marker; `reject`: the write is refused'),
    extraction_payload_retention_days: z
      .int()
      .min(0)
      .max(daysMax)
      .describe('How long the messages of source events are kept; 0: until their job has ended'),
    history_retention_days: z.int().min(1).max(daysMax).describe('How far back past states of memory can be read'),
    session_summary: z.boolean().describe('Whether each run that ends stores a summary under `runs:<workflow>`'),
    conversation_retention: z
      .enum(['erase', 'keep'])
      .describe('Whether the conversation of a run is erased when it ends, or kept with it'),
    replay_expired: z
      .enum(['refuse', 'allow'])
      .describe('Whether a fork returns an entry that its source run read before the entry expired'),
    default_writer_priority: priority.describe('The priority of requests without a source'),
    require_bound_writers: z.boolean().describe('Whether writers that are not bound to an API key are refused'),
    trust_floor_read: trustClass.describe('Memories below this class are returned on request only'),
    trust_floor_win: trustClass.describe('Contents below this class cannot win against one of a higher class'),
    timezone: timezone.describe('The IANA time zone in which dates in texts are understood'),
    commitment_inference: z.boolean().describe('Whether commitments such as reminders are inferred from new entries'),
    commitment_workflow: z
      .string()
      .max(workflowLimits.workflowIdCharactersMax)
      .describe('The workflow that a commitment starts when it fires, unless it names one; empty for none'),
    compaction: CompactionPolicy,
    consolidation_enabled: z.boolean().describe('Whether the daily pass merges entries that say the same'),
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
        conversation_retention: 'erase',
        replay_expired: 'refuse',
        default_writer_priority: 0,
        require_bound_writers: false,
        trust_floor_read: 'agent',
        trust_floor_win: 'agent',
        timezone: 'UTC',
        commitment_inference: true,
        commitment_workflow: '',
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
        consolidation_enabled: false,
      },
    ],
  })

const CompactionPolicyChange = CompactionPolicy.extend({ tags, skip_tags: tags }).partial().meta({
  id: 'CompactionPolicyChange',
  description: 'A change of the compaction policy.',
})

export const SettingsChange = Settings.extend({ compaction: CompactionPolicyChange })
  .partial()
  .meta({
    id: 'TenantSettingsChange',
    description: 'A change of settings. Omitted settings stay as they are.',
    examples: [{ history_retention_days: 30, compaction: { enabled: true, skip_tags: ['keep'] } }],
  })
