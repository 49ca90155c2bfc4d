import { z } from 'zod'
import { addedLayers, forgetLayers, nothingMatched, zeroCounts } from '../../../core/forget/receipt-body.ts'
import { checkForgottenName, checkForgottenRef, mentionsModes } from '../../../core/forget/selector.ts'
import { limits } from '../../../core/limits.ts'
import { checkReason } from '../../../core/reason.ts'
import { instant, list, nextCursor, PageQuery, withCheck } from '../../schema-parts.ts'

const name = withCheck(z.string(), checkForgottenName).optional()

export const ForgetDraft = z
  .strictObject({
    subject: name.describe('Everything about this person: the external_user_id'),
    memoryRef: withCheck(z.string(), checkForgottenRef).optional(),
    tag: name,
    writer: name.describe('Everything from this source service: the service_key'),
    sourceEvent: name.describe('The id of one source event'),
    runId: name,
    reason: withCheck(z.string(), checkReason).describe('The reason. It is kept, so it must not name what is erased.'),
    cascade: z
      .boolean()
      .optional()
      .describe('Whether data that runs and compactions derived from it is erased too; default true'),
    dryRun: z.boolean().optional().describe('Only count what would be erased'),
    mentions: z
      .enum(mentionsModes)
      .optional()
      .describe(
        `For a subject: list other entries whose text, tags or ref contain its name or a declared alias as a word, or erase them too (up to ${limits.forgetMentionsErasedMax}). A dry run always lists them.`,
      ),
  })
  .meta({
    id: 'ForgetRequest',
    description: 'What to erase: exactly one of subject, memoryRef, tag, writer, sourceEvent, runId.',
    examples: [{ subject: 'ada', reason: 'Erasure request 2026-118' }],
  })

const ErasureCounts = z
  .strictObject(
    Object.fromEntries(
      forgetLayers.map((layer) => [layer, addedLayers.includes(layer) ? z.int().optional() : z.int()]),
    ),
  )
  .meta({ id: 'ErasureCounts', description: 'Rows by layer.' })

const Selector = z
  .strictObject({ kind: z.string(), mac: z.string().describe('Keyed digest of the name that was selected') })
  .meta({ id: 'ForgetSelector', description: 'What was selected. The name itself is not kept.' })

const counts = { ...zeroCounts, entries: 3, versions: 4, claims: 1, assertions: 2, sourceEvents: 2, payloads: 2 }

const matched = z
  .int()
  .describe(
    'The number of entries, source events, runs and secrets that the request selects directly. 0: the name is unknown; check its spelling.',
  )

const Mentions = z
  .strictObject({
    count: z.int().describe('The number of entries'),
    entries: list(z.strictObject({ memoryRef: z.string(), id: z.string() })).describe(
      `The first ${limits.forgetMentionsShownMax} entries, oldest first`,
    ),
  })
  .meta({
    id: 'ForgetMentions',
    description: 'Other entries whose text, tags or ref have the name of the subject, or a declared alias, as a word.',
  })

const mentionsExample = {
  count: 1,
  entries: [{ memoryRef: 'notes/meeting', id: 'mem_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d42' }],
}

export const ForgetCounts = z
  .strictObject({
    dryRun: z.literal(true),
    counts: ErasureCounts,
    matched,
    mentions: Mentions.optional(),
    spellings: list(z.string())
      .optional()
      .describe('The spellings in which the person is stored, if there is more than one. All of them are forgotten'),
  })
  .meta({
    id: 'ForgetCounts',
    description: 'What would be erased. Nothing was changed.',
    examples: [{ dryRun: true, counts, matched: 5, mentions: mentionsExample }],
  })

export const ForgetStarted = z
  .strictObject({
    id: z.string(),
    status: z.string(),
    jobId: z.string(),
    matched,
    mentions: Mentions.optional().describe('If the request includes `mentions`'),
  })
  .meta({
    id: 'ForgetStarted',
    description: 'The data is hidden from now on; the job erases it.',
    examples: [
      {
        id: 'fgt_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d40',
        status: 'erasing',
        jobId: 'job_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d41',
        matched: 5,
      },
    ],
  })

const Receipt = z
  .strictObject({
    v: z.literal(1),
    id: z.string(),
    host: z.string(),
    tenant: z.string(),
    selector: Selector,
    cascade: z.boolean(),
    matched: matched.optional(),
    mentions: z.int().optional().describe('Other entries that named the subject and were erased with it'),
    note: z.literal(nothingMatched).optional().describe('There was nothing to erase'),
    requestedAt: instant,
    completedAt: instant,
    positions: z.strictObject({ fenced: z.int(), erased: z.int() }),
    erased: ErasureCounts,
    left: z.record(z.string(), z.int()).describe('Rows that a check of the tables found after the erasure, by layer'),
    physical: z
      .string()
      .describe('`erased`: no byte is left in the database files; otherwise, what remains to be done'),
    audit: z.strictObject({ position: z.int(), hash: z.string() }),
    signature: z.strictObject({ algorithm: z.literal('Ed25519'), keyId: z.string(), value: z.string() }),
  })
  .meta({ id: 'ErasureReceipt', description: 'Proof of an erasure, signed by the host.' })

export const Forget = z
  .strictObject({
    id: z.string(),
    status: z.enum(['erasing', 'completed', 'failed']),
    phase: z.string(),
    selector: Selector,
    reason: z.string(),
    cascade: z.boolean(),
    matched,
    mentions: z.int().optional().describe('Other entries that named the subject and are erased with it'),
    actor: z.string().describe('Who requested it: `key:<id>`, or the name of a process'),
    requestedAt: instant,
    jobId: z.string(),
    counts: ErasureCounts,
    receipt: Receipt.optional(),
  })
  .meta({ id: 'Forget', description: 'An erasure, and its receipt once it is completed.', examples: [forgetExample()] })

export const ForgetsQuery = PageQuery.extend({
  subject: name.describe('Only erasures of everything about this subject. Its name is compared by its keyed digest.'),
})

export const ForgetQuery = z.strictObject({
  format: z
    .enum(['receipt', 'dsse'])
    .optional()
    .describe('`dsse`: the receipt as an in-toto Statement in a DSSE envelope'),
})

const envelope = {
  payloadType: 'application/vnd.in-toto+json',
  payload: 'eyJfdHlwZSI6Imh0dHBzOi8vaW4tdG90by5pby9TdGF0ZW1lbnQvdjEifQ==',
  signatures: [{ keyid: '8d0c6a2f4b1e9375', sig: 'b2bqTn1m0v4c8x2z6l0k4j8h2g6f0d4s8a2p6o0i4u8y2t6r0e4w8q==' }],
} as const

export const ReceiptEnvelope = z
  .strictObject({
    payloadType: z.literal(envelope.payloadType),
    payload: z.string().describe('The in-toto Statement in base64; its predicate is the receipt'),
    signatures: list(z.strictObject({ keyid: z.string(), sig: z.string().describe('Ed25519, in base64') })),
  })
  .meta({
    id: 'ReceiptEnvelope',
    description: 'The receipt of an erasure as a DSSE envelope, signed by the host.',
    examples: [envelope],
  })

export const ForgetOrEnvelope = z.union([Forget, ReceiptEnvelope]).meta({
  id: 'ForgetOrEnvelope',
  description: 'An erasure; with `format=dsse`, only its receipt as a DSSE envelope.',
  examples: [forgetExample(), envelope],
})

export const ForgetPage = z.strictObject({ forgets: list(Forget), cursor: nextCursor }).meta({
  id: 'ForgetPage',
  description: 'One page of erasures, oldest first.',
  examples: [{ forgets: [forgetExample()] }],
})

export const SigningKey = z
  .strictObject({ algorithm: z.literal('Ed25519'), keyId: z.string(), publicKey: z.string().describe('SPKI, base64') })
  .meta({
    id: 'SigningKey',
    description: 'The public key that receipts of this host are verified with.',
    examples: [
      {
        algorithm: 'Ed25519',
        keyId: '8d0c6a2f4b1e9375',
        publicKey: 'MCowBQYDK2VwAyEA3p6Cw1y8m0n2b4v6x8z0q2w4e6r8t0y2u4i6o8p0a2s=',
      },
    ],
  })

function forgetExample() {
  const selector = { kind: 'subject', mac: 'q3n0T8vV1cJtq2m8r1b4JwXk5d7fPz9hLs2aYe6uGto' }
  const { id, cascade, requestedAt } = {
    id: 'fgt_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d40',
    cascade: true,
    requestedAt: '2026-03-01T12:00:00.000Z',
  }
  return {
    id,
    status: 'completed',
    phase: 'done',
    selector,
    reason: 'Erasure request 2026-118',
    cascade,
    matched: 5,
    actor: 'key:key_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d12',
    requestedAt,
    jobId: 'job_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d41',
    counts,
    receipt: {
      v: 1,
      id,
      host: 'colophon',
      tenant: 'acme',
      selector,
      cascade,
      matched: 5,
      requestedAt,
      completedAt: '2026-03-01T12:00:02.310Z',
      positions: { fenced: 58, erased: 63 },
      erased: counts,
      left: {},
      physical: 'erased',
      audit: { position: 63, hash: '0a9b8c7d6e5f40312233445566778899aabbccddeeff00112233445566778899' },
      signature: {
        algorithm: 'Ed25519',
        keyId: '8d0c6a2f4b1e9375',
        value: 'b2bqTn1m0v4c8x2z6l0k4j8h2g6f0d4s8a2p6o0i4u8y2t6r0e4w8q2b6n0m4v8c2x6z0l4k8j2h6g0f4d8s2a==',
      },
    },
  }
}
