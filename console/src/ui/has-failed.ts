import { isClientError } from '../../../src/client/index.ts'

type Fetched = { readonly isError: boolean; readonly error: unknown; readonly data: unknown }

/**
 * Whether a query has nothing to show but its error. If the server does not answer, what was fetched before stays in view, and a banner says how old it
 * is. A refusal replaces it: what was erased must not stay in view.
 */
export function hasFailed<Query extends Fetched>(
  query: Query,
): query is Query & { readonly isError: true; readonly data: undefined } {
  if (!query.isError) return false
  const { status } = isClientError(query.error) ? query.error : {}
  return query.data === undefined || (status !== undefined && status < 500)
}
