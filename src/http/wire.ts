import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { App, RouteParts } from './context.ts'
import type { Failure } from './failure.ts'
import { mountRoute, type Route } from './route.ts'

/** One protocol over the engine: its routes, and how it words a failure. */
export type Wire = {
  /** Whether a path belongs to this wire, also one without a route: its errors have this wire's form. */
  readonly owns: (path: string) => boolean
  readonly routes: readonly Route[]
  /** Routes that are no table row: streams of another protocol, bodies that are not JSON. */
  readonly mount?: (app: App, parts: RouteParts) => void
  readonly errorSchema: z.ZodType
  readonly toError: (failure: Failure, request: FastifyRequest) => { readonly status: number; readonly body: object }
}

export function mountWire(app: App, parts: RouteParts, wire: Wire): void {
  for (const route of wire.routes) mountRoute(app, parts, route)
  wire.mount?.(app, parts)
}
