import { z } from 'zod'

export const ProvenanceError = z
  .strictObject({
    error: z.string().describe('The name of the problem'),
    code: z.string().describe('Its code in the provenance API'),
    message: z.string(),
    request_id: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({
    id: 'ProvenanceError',
    description: 'The error envelope of the provenance API.',
    examples: [
      {
        error: 'writer_invalid',
        code: 'PROV_422',
        message: 'source.service must be a registered, active writer.',
        request_id: 'req-7',
        details: { field: 'source.service', hint: 'Register the service as a writer, or activate it.' },
      },
    ],
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
