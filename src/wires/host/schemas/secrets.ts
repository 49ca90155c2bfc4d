import { z } from 'zod'
import { instant, list } from '../../schema-parts.ts'

export const SecretDraft = z
  .strictObject({
    value: z.string(),
    scope: z.enum(['tenant', 'user', 'run']).optional(),
    userId: z.string().optional(),
    runId: z.string().optional(),
  })
  .meta({ id: 'SecretDraft' })

const SecretView = z.strictObject({
  id: z.string(),
  scope: z.enum(['tenant', 'user', 'run']),
  userId: z.string().optional(),
  runId: z.string().optional(),
  updatedAt: instant,
})

export const SecretList = z
  .strictObject({ secrets: list(SecretView) })
  .meta({ id: 'SecretList', description: 'Values never come back.' })
