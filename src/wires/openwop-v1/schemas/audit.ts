import { z } from 'zod'
import { count, list } from '../../schema-parts.ts'

export const VerifyQuery = z.strictObject({
  fromSeq: count.optional().describe('The first position to check; 0 is the beginning'),
  toSeq: count.optional().describe('The last position to check; by default the newest'),
  contents: z
    .enum(['true', 'false'])
    .optional()
    .describe('Rebuild the expected state from the whole chain, and compare it with every stored row'),
  head: z
    .string()
    .optional()
    .describe(
      'A head that was saved elsewhere, as POSITION:HASH or JSON {position, hash}: the chain must still contain it',
    ),
  checkpoint: z
    .string()
    .optional()
    .describe('A signed checkpoint that was saved elsewhere: the log must still begin with its records'),
})

const AuditAnomaly = z
  .strictObject({
    atSeq: z.int().describe('The record that is not valid or does not match the row; 0 if there is none'),
    expectedPrevHash: z.string(),
    actualPrevHash: z.string().describe('Empty: a record does not store the previous hash'),
    problem: z
      .enum(['missing', 'edited', 'tail', 'head', 'checkpoint', 'changed', 'unrecorded', 'gone'])
      .optional()
      .describe('Of a record: missing, edited, tail, head or checkpoint. Of a stored row: changed, unrecorded or gone'),
    what: z.string().optional().describe('The kind of row: record, version, tag, claim, key, run event …'),
    id: z.string().optional(),
    version: z.int().optional(),
    member: z.string().optional().describe('The member of the row that differs, if known'),
  })
  .meta({
    id: 'AuditAnomaly',
    description:
      'A record or row that does not match. Without `contents`, `head` and `checkpoint`, it has only the first three members, as in OpenWOP.',
  })

const AuditContents = z
  .strictObject({
    rows: z.int().describe('Stored rows that were compared'),
    coveredFrom: z.int().describe('From this position on, records have a digest of each row'),
    found: z.int().describe('Rows that do not match; anomalies has the first of them'),
    head: z
      .strictObject({ tenant: z.string(), position: z.int(), hash: z.string() })
      .describe('The end of the chain: store it elsewhere, and send it later as head'),
  })
  .meta({ id: 'AuditContents', description: 'The result of comparing all stored rows with the audit.' })

export const AuditVerifyResult = z
  .strictObject({
    fromSeq: z.int(),
    toSeq: z.int(),
    chainValid: z.boolean(),
    checkpoints: list(z.record(z.string(), z.unknown())).describe(
      'Always empty: checkpoints are signed on request, by GET log/checkpoint',
    ),
    anomalies: list(AuditAnomaly),
    contents: AuditContents.optional().describe('Only with contents=true, if the chain is valid'),
  })
  .meta({
    id: 'AuditVerifyResult',
    description: 'Whether the audit of the tenant is complete and unchanged.',
    examples: [{ fromSeq: 1, toSeq: 128, chainValid: true, checkpoints: [], anomalies: [] }],
  })
