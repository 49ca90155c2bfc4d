import { z } from 'zod'
import { instant, list, position } from '../../schema-parts.ts'

export const AuditPage = z
  .strictObject({
    records: list(
      z.strictObject({
        position,
        at: instant,
        kind: z.string(),
        actor: z.string(),
        hash: z.string(),
        body: z.looseObject({}),
      }),
    ),
    head: z.strictObject({ tenant: z.string(), position, hash: z.string() }),
    cursor: z.string().optional(),
  })
  .meta({ id: 'AuditPage' })
