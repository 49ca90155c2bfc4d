import type { FastifyRequest } from 'fastify'
import { sha256 } from '../core/audit/digest.ts'
import { invalid } from '../core/errors.ts'
import type { Route } from './route.ts'

/**
 * Cursors as clients see them: what the use case needs to continue, and a check that it came from this list of this tenant. Without the
 * check an id, a number or the cursor of another list would be an answer that skips items, and not a mistake that is noticed. It is no
 * signature: a use case trusts no cursor.
 */

/** Enough to notice every mistake. */
const checkCharacters = 12

/** The list that a cursor belongs to: a method and path, of a tenant, with the parameters of its path. */
export type CursorPlace = {
  readonly operation: string
  /** Null for the operator. */
  readonly tenantId: string | null
  readonly params: Readonly<Record<string, string>>
}

export function sealCursor(place: CursorPlace, cursor: string): string {
  return `${Buffer.from(cursor).toString('base64url')}.${checkOf(place, cursor)}`
}

function openCursor(place: CursorPlace, sealed: string): string {
  const [text = '', check] = sealed.split('.')
  const cursor = Buffer.from(text, 'base64url').toString()
  // Compared as a whole: base64url has several spellings of a text, and this list sends one.
  if (check === undefined || sealCursor(place, cursor) !== sealed)
    throw invalid('cursor', 'must be a cursor from an earlier page of this list')
  return cursor
}

function checkOf({ operation, tenantId, params }: CursorPlace, cursor: string): string {
  const values = Object.keys(params)
    .sort()
    .map((name) => params[name])
  const digest = sha256(JSON.stringify([operation, tenantId, values, cursor]))
  return digest.slice(0, checkCharacters)
}

/** Whether a route continues by a cursor, in its query or its body. */
export function takesCursor(route: Route): boolean {
  return [route.query, route.body].some((schema) => 'cursor' in ((schema as { shape?: object })?.shape ?? {}))
}

/** The list that a request reads. */
function cursorPlaceOf(request: FastifyRequest, operation: string): CursorPlace {
  const params = request.params as Readonly<Record<string, string>>
  return { operation, tenantId: request.principal?.tenantId ?? null, params }
}

/** Opens the cursor of a request in place, before the schemas and the handler see it. */
export function openCursorOf(request: FastifyRequest, operation: string): void {
  for (const given of [request.query, request.body]) {
    const named = (given ?? {}) as { cursor?: unknown }
    // A cursor that is no text is refused by the schema.
    if (typeof named.cursor === 'string') named.cursor = openCursor(cursorPlaceOf(request, operation), named.cursor)
  }
}

/** Seals the cursor of a page. */
export function sealCursorOf(request: FastifyRequest, operation: string, page: unknown): unknown {
  const { cursor, nextCursor } = (page ?? {}) as { cursor?: unknown; nextCursor?: unknown }
  const seal = (next: string) => sealCursor(cursorPlaceOf(request, operation), next)
  if (typeof cursor === 'string') return { ...(page as object), cursor: seal(cursor) }
  if (typeof nextCursor === 'string') return { ...(page as object), nextCursor: seal(nextCursor) }
  return page
}
