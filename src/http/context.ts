import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Principal } from '../app/access/authenticate.ts'
import type { HostFacts } from '../app/capabilities.ts'
import type { Engine } from '../app/engine.ts'
import type { Scope } from '../core/access/scopes.ts'
import { ColophonError } from '../core/errors.ts'
import type { ChangeHubs } from './change-hub.ts'
import type { StreamSlots } from './stream-slots.ts'

/** A server whose routes are typed by the wire schemas. */
export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, ZodTypeProvider>

/** Who may call a route: everybody, the operator, any key, or a key with this scope. Every route says so. */
export type Access = 'public' | 'operator' | 'key' | Scope

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** Waits for what is yet to happen, or asks this server again: its handler takes no turn among the requests of its tenant. */
    waits?: true
    /** Takes an Idempotency-Key. */
    isKeyed?: boolean
  }
  interface FastifyRequest {
    principal: Principal | null
  }
}

/** What routes work with. */
export type RouteParts = {
  readonly engine: Engine
  /** Aborts when the server stops: streams end. */
  readonly stopping: AbortSignal
  /** The streams of changes, by tenant. */
  readonly changeHubs: ChangeHubs
  /** Who may open how many streams. */
  readonly streamSlots: StreamSlots
  /** What this host can do at this moment. */
  readonly facts: () => Promise<HostFacts>
  readonly version: string
  readonly corsOrigins: readonly string[]
  readonly authenticate: (authorization: string | undefined) => Promise<Principal>
}

export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new ColophonError('unauthenticated', 'An API key is needed.')
  return request.principal
}

/** For routes that need a second scope beside their own. */
export function checkScope(request: FastifyRequest, scope: Scope): void {
  if (principalOf(request).scopes.includes(scope)) return
  throw new ColophonError('forbidden', 'The key may not do this.', { details: { requiredScope: scope } })
}

/** The options every mutating call takes from its headers and its key. */
export function writeOptions(request: FastifyRequest): { actor: string; idempotencyKey?: string } {
  return { actor: principalOf(request).actor, ...idempotencyOf(request) }
}

export function idempotencyOf(request: FastifyRequest): { idempotencyKey?: string } {
  const key = request.headers['idempotency-key']
  return typeof key === 'string' ? { idempotencyKey: key } : {}
}
