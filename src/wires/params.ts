import { z } from 'zod'

/** Parameters of paths of routes that are not in a table yet. */
export const NoQuery = z.strictObject({})
export const IdParams = z.strictObject({ id: z.string() })
export const RunParams = z.strictObject({ runId: z.string() })
