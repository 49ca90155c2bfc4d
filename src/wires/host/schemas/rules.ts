import { z } from 'zod'
import { checkCharacters } from '../../../core/check.ts'
import { invalid } from '../../../core/errors.ts'
import { limits } from '../../../core/limits.ts'
import { checkRulePattern } from '../../../core/redaction/operator-rules.ts'
import { instant, list, withCheck } from '../../schema-parts.ts'

const pattern = withCheck(z.string(), checkRulePattern).describe('A regular expression in RE2 syntax')

export const RuleDraft = z
  .strictObject({
    pattern,
    description: withCheck(z.string(), (field, value) =>
      checkCharacters(field, value, 'ruleDescriptionCharactersMax', limits.ruleDescriptionCharactersMax),
    ).optional(),
  })
  .meta({
    id: 'RuleDraft',
    description: 'A pattern. Its matches are replaced by a marker.',
    examples: [{ pattern: 'TCK-[0-9]{6}', description: 'Ticket numbers' }],
  })

const rule = { id: 'ticket', pattern: 'TCK-[0-9]{6}', description: 'Ticket numbers' }

export const Rule = z
  .strictObject({ id: z.string(), pattern: z.string(), description: z.string().optional() })
  .meta({ id: 'Rule', description: 'A redaction rule of the tenant.', examples: [rule] })

const ListedRule = z
  .strictObject({ ...Rule.shape, updatedAt: instant })
  .meta({ id: 'ListedRule', description: 'A rule, and when it was last changed.' })

export const RuleList = z
  .strictObject({
    rules: list(ListedRule),
    builtIn: list(z.string()).describe('Ids of the rules that every tenant has'),
  })
  .meta({
    id: 'RuleList',
    description: 'The rules of the tenant, and the names of the built-in ones.',
    examples: [
      {
        rules: [{ ...rule, updatedAt: '2026-03-01T12:00:00.000Z' }],
        builtIn: ['private-key', 'model-provider-key', 'groq-key'],
      },
    ],
  })

export const RedactionTry = z
  .strictObject({
    text: withCheck(z.string(), (field, value) => {
      const max = limits.contentBytesMax
      if (value.length > max)
        throw invalid(field, `must be at most ${max} characters`, { limit: 'contentBytesMax', max })
    }),
    pattern: pattern.optional().describe('A rule that is not stored yet, to test together with the stored ones'),
  })
  .meta({
    id: 'RedactionTry',
    description: 'A text to redact.',
    examples: [{ text: 'See TCK-123456.', pattern: 'TCK-[0-9]{6}' }],
  })

export const RedactionResult = z
  .strictObject({ text: z.string(), hits: list(z.strictObject({ rule: z.string(), count: z.int() })) })
  .meta({
    id: 'RedactionResult',
    description: 'The text as it would be stored, and how often each rule or secret matched.',
    examples: [{ text: 'See [REDACTED:tried-rule].', hits: [{ rule: 'tried-rule', count: 1 }] }],
  })

export const RedactionRequest = z
  .strictObject({ dryRun: z.boolean().optional().describe('Only count what would change') })
  .meta({
    id: 'RedactionRequest',
    description: 'A redaction pass over all stored data, with the current secrets and rules.',
    examples: [{ dryRun: true }],
  })
