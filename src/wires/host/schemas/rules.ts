import { z } from 'zod'
import { instant, list } from '../../schema-parts.ts'

export const RuleDraft = z
  .strictObject({ pattern: z.string(), description: z.string().optional() })
  .meta({ id: 'RuleDraft' })

export const Rule = z
  .strictObject({ id: z.string(), pattern: z.string(), description: z.string().optional() })
  .meta({ id: 'Rule' })

export const RuleList = z
  .strictObject({ rules: list(z.strictObject({ ...Rule.shape, updatedAt: instant })), builtIn: list(z.string()) })
  .meta({ id: 'RuleList' })

export const RedactionTry = z
  .strictObject({ text: z.string(), pattern: z.string().optional() })
  .meta({ id: 'RedactionTry' })

export const RedactionResult = z
  .strictObject({ text: z.string(), hits: list(z.strictObject({ rule: z.string(), count: z.int() })) })
  .meta({ id: 'RedactionResult' })

export const RedactionRequest = z
  .strictObject({ dryRun: z.boolean().optional().describe('Only count what would change') })
  .meta({ id: 'RedactionRequest', description: 'Goes over everything stored with the secrets and rules of today.' })
