import { z } from 'zod'
import { checkIdentifier, checkText } from '../../../core/check.ts'
import { limits } from '../../../core/limits.ts'
import { categories } from '../../../core/provenance/category.ts'
import { checkServiceKey, defaultAuthorityRules } from '../../../core/provenance/writer.ts'
import { instant, list, withCheck } from '../../schema-parts.ts'

export const serviceKey = withCheck(z.string(), checkServiceKey).describe(
  'The name of the service: 1 to 64 of a-z, 0-9, dot, underscore and dash, beginning with a letter or digit',
)
export const priority = z.int().min(0).max(100)

const exampleRules = { default_priority: 50, categories: { preference: 90 } }

const AuthorityRules = z
  .strictObject({
    default_priority: z.int().describe('The priority in categories without their own priority'),
    categories: z.partialRecord(z.enum(categories), z.int()).describe('Priorities by category'),
  })
  .meta({
    id: 'AuthorityRules',
    description: 'The authority of a writer, 0 to 100: of two writers that disagree, the higher priority wins.',
    examples: [exampleRules],
  })

export const AuthorityRulesDraft = z
  .strictObject({
    default_priority: priority.default(defaultAuthorityRules.defaultPriority),
    categories: z.partialRecord(z.enum(categories), priority).default({}),
  })
  .meta({
    id: 'AuthorityRulesDraft',
    description: 'The authority of a writer. It replaces all earlier rules.',
    examples: [exampleRules],
  })

export const WriterDraft = z
  .strictObject({
    service_key: serviceKey,
    display_name: withCheck(z.string(), (field, value) =>
      checkIdentifier(field, value, 'keyNameCharactersMax', limits.keyNameCharactersMax),
    ).nullish(),
    authority_rules: AuthorityRulesDraft.optional(),
    api_key_id: withCheck(z.string(), checkText)
      .nullish()
      .describe('The only key that can send events of this service; null: any key of the tenant'),
    is_active: z.boolean().optional().describe('Events of an inactive writer are refused'),
  })
  .meta({
    id: 'ServiceWriterDraft',
    description: 'A service that sends source events.',
    examples: [{ service_key: 'chat-service', display_name: 'Support chat', authority_rules: exampleRules }],
  })

export const WriterChange = WriterDraft.partial().meta({
  id: 'ServiceWriterChange',
  description: 'A change of a writer. The service key cannot change, because events refer to it.',
  examples: [{ authority_rules: { default_priority: 70 }, is_active: true }],
})

export const exampleWriter = {
  id: 'wtr_0192f0c1-7a3b-7c44-9d2e-5b1f0a6c8e21',
  service_key: 'chat-service',
  display_name: 'Support chat',
  authority_rules: exampleRules,
  api_key_id: null,
  is_active: true,
  created_at: '2026-06-11T09:50:00.000Z',
  updated_at: '2026-06-12T08:00:00.000Z',
  rule_changes: [
    {
      at: '2026-06-12T08:00:00.000Z',
      actor: 'key:key_0192f0c1',
      old: { default_priority: 50, categories: {} },
      new: exampleRules,
    },
  ],
}

const RuleChange = z
  .strictObject({ at: instant, actor: z.string(), old: AuthorityRules, new: AuthorityRules })
  .meta({ id: 'AuthorityRulesChange', description: 'One change of the rules of a writer.' })

export const Writer = z
  .strictObject({
    id: z.string(),
    service_key: z.string(),
    display_name: z.string().nullable(),
    authority_rules: AuthorityRules,
    api_key_id: z.string().nullable(),
    is_active: z.boolean(),
    created_at: instant,
    updated_at: instant,
    rule_changes: list(RuleChange),
  })
  .meta({ id: 'ServiceWriter', description: 'A registered service.', examples: [exampleWriter] })

export const ChangedWriter = z
  .strictObject({
    ...Writer.shape,
    reresolve: z
      .strictObject({
        claims: z.int().describe('Claims that would have another winner'),
        at_least: z
          .literal(true)
          .optional()
          .describe(
            `There are more claims than a call examines (${limits.reresolveCountClaimsMax}): preview the change for all`,
          ),
      })
      .optional()
      .describe('What a reresolve would change now. Present if authority rules were changed'),
  })
  .meta({
    id: 'ChangedServiceWriter',
    description: 'A writer after a change.',
    examples: [{ ...exampleWriter, reresolve: { claims: 3 } }],
  })

export const WriterList = z.strictObject({ data: list(Writer), cursor: z.string().optional() }).meta({
  id: 'ServiceWriterList',
  description: 'Writers in order of service key.',
  examples: [{ data: [exampleWriter], cursor: 'Y2hhdC1zZXJ2aWNl.5be01f7c93a2' }],
})
