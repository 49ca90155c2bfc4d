import { z } from 'zod'
import { count, list } from '../../schema-parts.ts'

export const VerifyQuery = z.strictObject({
  fromSeq: count.optional(),
  toSeq: count.optional(),
  contents: z.enum(['true', 'false']).optional().describe('Also compare stored contents and source events'),
})

export const AuditVerifyResult = z
  .strictObject({
    fromSeq: z.int(),
    toSeq: z.int(),
    chainValid: z.boolean(),
    checkpoints: list(z.looseObject({})),
    anomalies: list(z.looseObject({})),
  })
  .meta({ id: 'AuditVerifyResult' })
