import { z } from 'zod'

/** The error envelope of version 2. */
export const ErrorEnvelope = z
  .strictObject({
    error: z.string().describe('A registered code'),
    message: z.string().describe('What happened, for people'),
    details: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        '`hint` says what to do; `field` and `limit` say where; `exactCode` is the more exact code of this host',
      ),
  })
  .meta({
    id: 'ErrorV2',
    description: 'Why a request was refused. Each code has a fixed status.',
    examples: [
      {
        error: 'id_tenant_mismatch',
        message: 'The id belongs to another tenant than the key.',
        details: { field: 'runId', hint: 'Use a key of the tenant that the id names.' },
      },
    ],
  })
