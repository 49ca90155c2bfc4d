import { z } from 'zod'
import { knownNames, type SchemaProblem } from './schema-problem.ts'

/** Validates a part of a request by its schema. */
export const compileValidator =
  ({ schema }: { readonly schema: z.ZodType }) =>
  (data: unknown): { readonly value: unknown } | { readonly error: readonly SchemaProblem[] } => {
    const { success, data: value, error } = z.safeParse(schema, data, { error: knownNames })
    if (success) return { value }
    return {
      error: error.issues.map(({ path, code, message, ...params }) => ({
        instancePath: `/${path.join('/')}`,
        keyword: code,
        message,
        params,
      })),
    }
  }
