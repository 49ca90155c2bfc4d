import { z } from 'zod'
import { count, list } from '../../schema-parts.ts'

export const VerifyQuery = z.strictObject({
  fromSeq: count.optional().describe('The first position to check; 0 is the beginning'),
  toSeq: count.optional().describe('The last position to check; without it the newest'),
  contents: z.enum(['true', 'false']).optional().describe('Also compare stored contents and source events'),
})

const AuditAnomaly = z
  .strictObject({
    atSeq: z.int(),
    expectedPrevHash: z.string(),
    actualPrevHash: z.string().describe('Empty: a record does not store the hash before it'),
  })
  .meta({ id: 'AuditAnomaly', description: 'The first record that does not fit the chain.' })

export const AuditVerifyResult = z
  .strictObject({
    fromSeq: z.int(),
    toSeq: z.int(),
    chainValid: z.boolean(),
    checkpoints: list(z.record(z.string(), z.unknown())).describe('Always empty: this host stores no checkpoints'),
    anomalies: list(AuditAnomaly),
  })
  .meta({
    id: 'AuditVerifyResult',
    description: 'Whether the audit of the tenant is complete and unchanged.',
    examples: [{ fromSeq: 1, toSeq: 128, chainValid: true, checkpoints: [], anomalies: [] }],
  })
