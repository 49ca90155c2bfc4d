import { z } from 'zod'
import { layers } from '../../../core/forget/receipt.ts'
import { instant, list } from '../../schema-parts.ts'

export const ForgetDraft = z
  .strictObject({
    subject: z.string().optional().describe('external_user_id'),
    memoryRef: z.string().optional(),
    tag: z.string().optional(),
    writer: z.string().optional().describe('service_key'),
    sourceEvent: z.string().optional().describe('id of the source event'),
    runId: z.string().optional(),
    reason: z.string().describe('Why. It is kept, so it must not name what is forgotten.'),
    cascade: z.boolean().optional().describe('Whether what runs and compactions made of it goes too; default true'),
    dryRun: z.boolean().optional(),
  })
  .meta({ id: 'ForgetRequest', description: 'Exactly one of subject, memoryRef, tag, writer, sourceEvent, runId.' })

const counts = z.strictObject(Object.fromEntries(layers.map((layer) => [layer, z.int()])))

const selector = z.strictObject({ kind: z.string(), mac: z.string().describe('keyed digest of what was selected') })

export const ForgetCounts = z.strictObject({ dryRun: z.literal(true), counts }).meta({ id: 'ForgetCounts' })

export const ForgetStarted = z
  .strictObject({ id: z.string(), status: z.string(), jobId: z.string() })
  .meta({ id: 'ForgetStarted' })

const Receipt = z
  .strictObject({
    v: z.literal(1),
    id: z.string(),
    host: z.string(),
    tenant: z.string(),
    selector,
    cascade: z.boolean(),
    requestedAt: instant,
    completedAt: instant,
    positions: z.strictObject({ fenced: z.int(), erased: z.int() }),
    erased: counts,
    left: z.record(z.string(), z.int()).describe('rows that a look at the tables still found, by layer'),
    physical: z.string(),
    audit: z.strictObject({ position: z.int(), hash: z.string() }),
    signature: z.strictObject({ algorithm: z.literal('Ed25519'), keyId: z.string(), value: z.string() }),
  })
  .meta({ id: 'ErasureReceipt' })

export const Forget = z
  .strictObject({
    id: z.string(),
    status: z.enum(['erasing', 'completed', 'failed']),
    phase: z.string(),
    selector,
    reason: z.string(),
    cascade: z.boolean(),
    requestedAt: instant,
    jobId: z.string(),
    counts,
    receipt: Receipt.optional(),
  })
  .meta({ id: 'Forget' })

export const ForgetPage = z
  .strictObject({ forgets: list(Forget), cursor: z.string().optional() })
  .meta({ id: 'ForgetPage' })

export const SigningKey = z
  .strictObject({ algorithm: z.literal('Ed25519'), keyId: z.string(), publicKey: z.string().describe('SPKI, base64') })
  .meta({ id: 'SigningKey', description: 'What receipts of this host are checked with.' })
