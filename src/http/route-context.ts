import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Principal } from '../app/access/authenticate.ts'
import type { HostFacts } from '../app/capabilities.ts'
import type { Engine } from '../app/engine.ts'
import type { Scope } from '../core/access/scopes.ts'
import { ColophonError } from '../core/errors.ts'
import type { ChangeHubs } from './change-hub.ts'
import type { ReaderRule } from './reader-rules.ts'
import type { RequestQueue } from './request-queue.ts'
import type { StreamSlots } from './stream-slots.ts'

/** The Fastify instance, with request types from the schemas of the routes. */
export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, ZodTypeProvider>

/** The access rule of a route: no key, the operator key, any API key, or an API key with this scope. Every route has one. */
export type Access = 'public' | 'operator' | 'key' | Scope

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** Stays open until the client leaves, or calls this server again: its handler takes no slot in the request queue of its tenant. */
    isLongLived?: boolean
    /** What it does for a key that is bound to a reader. A route without one is refused. */
    readerRule?: ReaderRule
    /** Refused for a session: it needs the key itself. */
    needsKey?: boolean
    /** Accepts an Idempotency-Key. */
    isKeyed?: boolean
  }
  interface FastifyRequest {
    principal: Principal | null
  }
}

/** Finds the caller by the `Authorization` header, or without one by the session in the cookie. */
export type Authenticate = (authorization: string | undefined, session?: string) => Promise<Principal>

/** What every route handler can use. */
export type RouteParts = {
  readonly engine: Engine
  /** Aborted when the server stops, which ends all streams. */
  readonly stopping: AbortSignal
  /** The fan-out of changes, by tenant. */
  readonly changeHubs: ChangeHubs
  /** The limits on open streams. */
  readonly streamSlots: StreamSlots
  readonly requestQueue: RequestQueue
  /** What this host can do now. */
  readonly facts: () => Promise<HostFacts>
  readonly version: string
  readonly corsOrigins: readonly string[]
  readonly authenticate: Authenticate
}

/** The authenticated caller; a request without one is refused. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new ColophonError('unauthenticated', 'An API key is needed.')
  return request.principal
}

/** Checks a second scope, for routes that need more than the one of their access rule. */
export function checkScope(request: FastifyRequest, scope: Scope): void {
  if (principalOf(request).scopes.includes(scope)) return
  throw new ColophonError('forbidden', `The key lacks the scope ${scope}.`, { details: { requiredScope: scope } })
}

export function checkScopes(request: FastifyRequest, scopes: readonly Scope[]): void {
  for (const scope of scopes) checkScope(request, scope)
}

/** The options of a write: the actor from the key, and the idempotency key from the header. */
export function writeOptions(request: FastifyRequest): { actor: string; idempotencyKey?: string } {
  return { actor: principalOf(request).actor, ...idempotencyOf(request) }
}

/** The `Idempotency-Key` header, if there is one. */
export function idempotencyOf(request: FastifyRequest): { idempotencyKey?: string } {
  const key = request.headers['idempotency-key']
  return typeof key === 'string' ? { idempotencyKey: key } : {}
}
