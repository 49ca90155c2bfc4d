import { z } from 'zod'
import { checkIdentifier } from '../../../core/check.ts'
import { limits } from '../../../core/limits.ts'
import { checkSecretValue } from '../../../core/redaction/secret-value.ts'
import { instant, list, withCheck } from '../../schema-parts.ts'

const scope = z.enum(['tenant', 'user', 'run'])
const owner = withCheck(z.string(), (field, value) =>
  checkIdentifier(field, value, 'subjectCharactersMax', limits.subjectCharactersMax),
)

export const SecretDraft = z
  .strictObject({
    value: withCheck(z.string(), checkSecretValue),
    scope: scope.optional().describe('By default `tenant`'),
    userId: owner.optional().describe('With the scope `user`'),
    runId: owner.optional().describe('With the scope `run`'),
  })
  .meta({
    id: 'SecretDraft',
    description: 'A value that is replaced by a marker wherever it occurs.',
    examples: [{ value: 'correct-horse-battery-staple' }],
  })

const Secret = z
  .strictObject({
    id: z.string(),
    scope,
    userId: z.string().optional(),
    runId: z.string().optional(),
    updatedAt: instant,
  })
  .meta({ id: 'Secret', description: 'A stored secret, without its value.' })

export const SecretList = z.strictObject({ secrets: list(Secret) }).meta({
  id: 'SecretList',
  description: 'All secrets of the tenant, without their values.',
  examples: [{ secrets: [{ id: 'crm-password', scope: 'tenant', updatedAt: '2026-03-01T12:00:00.000Z' }] }],
})
