import { z } from 'zod'

const details = z.record(z.string(), z.unknown())

/** The error envelope of OpenWOP and of the host extension. */
export const ErrorEnvelope = z
  .strictObject({ error: z.string(), message: z.string(), details: details.optional() })
  .meta({ id: 'Error' })
