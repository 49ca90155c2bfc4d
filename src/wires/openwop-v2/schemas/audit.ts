import { z } from 'zod'
import { count, list } from '../../schema-parts.ts'

export const VerifyQueryV2 = z.strictObject({
  fromSeq: count.optional().describe('The first position to check; 0 is the beginning'),
  toSeq: count.optional().describe('The last position to check; by default the newest'),
})

const Checkpoint = z
  .strictObject({
    checkpoint: z.string().describe('The name of the log, and the number of records'),
    atSequence: z.int().min(0),
    merkleRoot: z.string().describe('The root over the hashes of the first atSequence records (RFC 6962), hexadecimal'),
    signature: z.string().describe('Ed25519 over the canonical JSON of the other members, base64'),
  })
  .meta({ id: 'AuditCheckpointV2', description: 'The head of the log, signed: keep it elsewhere.' })

const Anomaly = z.strictObject({ atSeq: z.int(), expectedPrevHash: z.string(), actualPrevHash: z.string() })

export const AuditVerifyV2 = z
  .strictObject({
    fromSeq: z.int(),
    toSeq: z.int(),
    chainValid: z.boolean(),
    checkpoints: list(Checkpoint),
    anomalies: list(Anomaly),
  })
  .meta({
    id: 'AuditVerifyV2',
    description: 'Whether the audit of the tenant is complete and unchanged, with a signed checkpoint if it is.',
    examples: [
      {
        fromSeq: 1,
        toSeq: 128,
        chainValid: true,
        checkpoints: [
          {
            checkpoint: 'colophon/Zm9yIHRoZSBvcmlnaW4gb2@128',
            atSequence: 128,
            merkleRoot: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
            signature: 'b2YgdGhlIGNoZWNrcG9pbnQ=',
          },
        ],
        anomalies: [],
      },
    ],
  })
