import { z } from 'zod'
import { count, list } from '../../schema-parts.ts'

export const VerifyQuery = z.strictObject({
  fromSeq: count.optional().describe('The first position to check; 0 is the beginning'),
  toSeq: count.optional().describe('The last position to check; without it the newest'),
  contents: z
    .enum(['true', 'false'])
    .optional()
    .describe('Rebuild from the whole chain what must be stored, and compare it with every stored row'),
  head: z
    .string()
    .optional()
    .describe('A head kept elsewhere, as POSITION:HASH or JSON {position, hash}: the chain must still pass through it'),
})

const AuditAnomaly = z
  .strictObject({
    atSeq: z.int().describe('The record that does not hold, or that says otherwise; 0 when there is none'),
    expectedPrevHash: z.string(),
    actualPrevHash: z.string().describe('Empty: a record does not store the hash before it'),
    problem: z
      .enum(['missing', 'edited', 'tail', 'head', 'changed', 'unrecorded', 'gone'])
      .optional()
      .describe('Of a record: missing, edited, tail or head. Of a stored row: changed, unrecorded or gone'),
    what: z.string().optional().describe('The kind of row: record, version, tag, claim, key, run event …'),
    id: z.string().optional(),
    version: z.int().optional(),
    member: z.string().optional().describe('The member of the row that differs, where that is known'),
  })
  .meta({
    id: 'AuditAnomaly',
    description: 'What does not hold. Without `contents` and `head` only the first three members, as OpenWOP has them.',
  })

const AuditContents = z
  .strictObject({
    rows: z.int().describe('Stored rows that were compared'),
    coveredFrom: z.int().describe('From this position on, records have a digest of every row'),
    found: z.int().describe('Rows that do not hold; anomalies has the first of them'),
    head: z
      .strictObject({ tenant: z.string(), position: z.int(), hash: z.string() })
      .describe('The end of the chain: keep it elsewhere and hand it back as head'),
  })
  .meta({ id: 'AuditContents', description: 'What came of comparing everything that is stored with the audit.' })

export const AuditVerifyResult = z
  .strictObject({
    fromSeq: z.int(),
    toSeq: z.int(),
    chainValid: z.boolean(),
    checkpoints: list(z.record(z.string(), z.unknown())).describe('Always empty: this host stores no checkpoints'),
    anomalies: list(AuditAnomaly),
    contents: AuditContents.optional().describe('Only with contents=true, when the chain itself holds'),
  })
  .meta({
    id: 'AuditVerifyResult',
    description: 'Whether the audit of the tenant is complete and unchanged.',
    examples: [{ fromSeq: 1, toSeq: 128, chainValid: true, checkpoints: [], anomalies: [] }],
  })
