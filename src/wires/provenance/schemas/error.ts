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
  .meta({ id: 'ProvenanceError' })
