import { z } from 'zod'

/** The error envelope of OpenWOP and of the host extension. */
export const ErrorEnvelope = z
  .strictObject({
    error: z.string().describe('A stable code'),
    message: z.string().describe('What happened, for people'),
    details: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('`hint` says what to do; `field` and `limit` say where'),
  })
  .meta({
    id: 'Error',
    description: 'Why a request was refused.',
    examples: [
      {
        error: 'validation_error',
        message: 'workflowId must be a string.',
        details: {
          field: 'workflowId',
          hint: 'The OpenAPI document at /v1/openapi.json shows the expected form.',
        },
      },
    ],
  })
