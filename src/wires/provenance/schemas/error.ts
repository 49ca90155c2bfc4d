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
