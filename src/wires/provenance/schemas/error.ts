import { z } from 'zod'

const details = z.record(z.string(), z.unknown())

/** The error envelope of the provenance API. */
export const ProvenanceError = z
  .strictObject({
    error: z.string(),
    code: z.string(),
    message: z.string(),
    request_id: z.string(),
    details: details.optional(),
  })
  .meta({
    id: 'ProvenanceError',
    description: 'A refusal or a failure. `code` is a stable code; `details.hint` says what to do.',
    examples: [
      {
        error: 'validation_error',
        code: 'REQ_422',
        message: 'external_user_id must be a string.',
        request_id: 'req_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d50',
        details: { field: 'external_user_id', hint: 'Correct the named field and send the call again.' },
      },
    ],
  })
