import { z } from 'zod'
import { checkReader } from '../core/entries/readers.ts'
import { trustClasses } from '../core/entries/trust.ts'
import { invalid, isColophonError } from '../core/errors.ts'
import type { FilterForm } from '../core/filter/parse-filter.ts'
import { limits } from '../core/limits.ts'
import { checkMinRelevance, type MinRelevance } from '../core/search/min-relevance.ts'

/** Shared parts of the schemas. */

/** An array in a response. */
export const list = <T extends z.ZodType>(item: T) => z.array(item).readonly()
export const instant = z.string().describe('ISO-8601 instant, UTC, milliseconds')
export const position = z.int().min(0).describe('Position of the tenant’s logical clock')
/** A whole number in a query string. */
export const count = z.coerce.number().int().min(0)
export const cursor = z.string().describe('The cursor of the previous page; omitted for the first page')
/** A cursor whose format can be checked. */
export const cursorLike = (form: RegExp) =>
  withCheck(cursor, (field, value) => {
    if (!form.test(value)) throw invalid(field, 'must be a cursor from an earlier page')
  })
/** An origin class. */
export const trustClass = z.enum(trustClasses)
/** In a request that writes: a class below that of the credential. */
export const loweredTrust = trustClass
  .optional()
  .describe('A class below that of the credential, such as `untrusted` for the output of a tool')
/** In a request that reads many memories. */
export const trustMin = trustClass
  .optional()
  .describe('The lowest class to return; by default the setting `trust_floor_read`')
/** In a search: any wrong value is the same error, whatever its type. */
export const minRelevance = (field: string) =>
  (
    withCheck(z.unknown(), (_field, value) => {
      if (value !== undefined) checkMinRelevance(field, value)
    }) as unknown as z.ZodType<MinRelevance | undefined, MinRelevance | undefined>
  )
    .optional()
    .meta({
      anyOf: [{ type: 'number', minimum: 0, maximum: 1 }, { const: 'auto' }],
      description:
        'Leaves out results of a lower relevance. `auto` keeps those that probably bear on the query: the first ones, or none',
    })
export const nextCursor = z.string().optional().describe('The cursor of the next page; absent on the last page')

export const PageQuery = z.strictObject({ limit: count.optional(), cursor: cursor.optional() })
export const Deleted = z.strictObject({ deleted: z.boolean() }).meta({
  id: 'Deleted',
  description: '`deleted` is false if there was nothing to delete.',
  examples: [{ deleted: true }],
})
export const JobStarted = z.strictObject({ jobId: z.string() }).meta({
  id: 'JobStarted',
  description: 'The job that does the work. Read it to see its progress.',
  examples: [{ jobId: 'job_019a8c5e-7d51-7c3a-9b1e-2f4a6c8e0d20' }],
})
export const NoContent = z.null().describe('Done')

/**
 * An array in a request, of a bounded length. The length is checked before the items: otherwise a body of a million invalid
 * items would make a million issues, and block the event loop.
 */
export function bounded<T extends z.ZodType, Limits extends Readonly<Record<string, number>>>(
  item: T,
  among: Limits,
  limit: keyof Limits & string,
  min: 0 | 1 = 0,
) {
  const max = among[limit] as number
  // The message has the limit for src/http/schema-problem.ts, which writes the sentence.
  const problem = `limit ${limit} from ${min} to ${max}`
  return z.array(item, { error: problem }).min(min, problem).max(max, problem)
}

const filterNote =
  'Conditions with operators, such as `{"category": "goal", "created": {"gte": "2026-01-01T00:00:00Z"}}`'
/** A filter in the body of a request. The use case checks it. */
export const filterForm = (z.record(z.string(), z.unknown()) as unknown as z.ZodType<FilterForm, FilterForm>)
  .optional()
  .describe(filterNote)
/** A filter in a query string: JSON. */
export const filterText = withCheck(z.string(), (field, text) => {
  try {
    JSON.parse(text)
  } catch {
    throw invalid(field, 'must be JSON, such as {"tag":"drink"}')
  }
})
  .describe(`${filterNote}, as JSON`)
  .transform((text) => JSON.parse(text) as FilterForm)
  .optional()

/** The id of a reader. */
export const readerId = withCheck(z.string(), checkReader)
/** The reader of a read. */
export const asReader = readerId
  .optional()
  .describe('Only what this reader may see. A key that is bound to a reader can name no other one')
/** The readers of what is written. */
export const readersDraft = bounded(readerId, limits, 'readersMax').describe(
  'Who inside the tenant may read it. By default everyone; if empty, only callers without a reader',
)
/** The readers of a memory in a response. */
export const shownReaders = list(z.string()).optional().describe('Who inside the tenant may read it; absent: everyone')

/** Adds a check of the core to a schema. Errors have the message of the core and the name of the limit. */
export function withCheck<T extends z.ZodType>(schema: T, check: (field: string, value: z.output<T>) => void): T {
  return schema.check((context) => {
    try {
      check('', context.value as z.output<T>)
    } catch (error) {
      if (!isColophonError(error, 'validation_error')) throw error
      const message = error.message.trim().replace(/\.$/, '')
      context.issues.push({ code: 'custom', input: context.value, message, params: { ...error.details } })
    }
  }) as T
}
