import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Failure } from './error-response.ts'
import { mountRoute, type Route } from './route.ts'
import type { App, RouteParts } from './route-context.ts'

/** One protocol over the engine: its routes, and its error format. */
export type Wire = {
  /** Whether a path belongs to this protocol, also a path without a route: its errors have the format of this protocol. */
  readonly owns: (path: string) => boolean
  readonly routes: readonly Route[]
  /** Mounts routes that `routes` cannot declare: MCP, and bodies that are not JSON. */
  readonly mount?: (app: App, parts: RouteParts) => void
  /** Adds hooks that run before the caller is authenticated. */
  readonly guard?: (app: App) => void
  /** The path and the title of an OpenAPI document of its own, and the paths that it describes. */
  readonly document?: { readonly path: string; readonly title: string; readonly describes: (path: string) => boolean }
  readonly errorSchema: z.ZodType
  /** Headers of an error, also of one that is found before any hook runs. */
  readonly errorHeaders?: (request: FastifyRequest) => Readonly<Record<string, string>>
  readonly toError: (failure: Failure, request: FastifyRequest) => { readonly status: number; readonly body: object }
}

/** Registers all routes of a protocol. */
export function mountWire(app: App, parts: RouteParts, wire: Wire): void {
  for (const route of wire.routes) mountRoute(app, parts, route)
  wire.mount?.(app, parts)
}
