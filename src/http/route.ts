import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Principal } from '../app/access/authenticate.ts'
import type { WriteOptions } from '../app/commit.ts'
import { forReader } from '../app/entries/read-access.ts'
import type { Tenant } from '../app/tenant.ts'
import { openCursorOf, sealCursorOf, takesCursor } from './cursors.ts'
import { isLargeBody, renderLargeBody } from './large-json.ts'
import { readerRules } from './reader-rules.ts'
import { type Access, type App, principalOf, type RouteParts, writeOptions } from './route-context.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type ParamName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamName<Rest>
  : never
/** A response that is not JSON, by media type. */
type Media = { readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>> }
type ResponseSchemas = Readonly<Record<number, z.ZodType | Media>>
type BodyOf<A extends ResponseSchemas> = {
  [Status in keyof A]: A[Status] extends z.ZodType ? z.output<A[Status]> : never
}[keyof A]

/** Method and path, as in the OpenAPI document: `POST /v1/runs/{runId}:pause`. */
type Operation = `${Method} /${string}`

/** The documentation of a route, and its special properties. */
type Description = {
  /** A few words, as a heading. */
  readonly summary: string
  readonly description: string
  readonly tag: string
  /** The media type of the body, when it is not JSON. */
  readonly consumes?: string
  /** Stays open until the client leaves, or calls this server again: it takes no slot among the requests of its tenant. */
  readonly isLongLived?: true
  /** The last parameter of the path takes the rest of it, with its slashes. */
  readonly takesRestOfPath?: true
  /** Refused for a session: it needs the key itself. */
  readonly needsKey?: true
  /** A POST that changes nothing: it accepts no idempotency key. */
  readonly isRead?: true
  /** A retry is harmless, or refused because of the first call: it accepts no idempotency key. */
  readonly isUnkeyed?: true
}

type Spec<
  Path extends string,
  Query extends z.ZodType,
  Body extends z.ZodType,
  A extends ResponseSchemas,
> = Description & {
  /** Without it, every query parameter is refused. */
  readonly query?: Query
  readonly body?: Body
  /** Response schemas by status. The first is the default status. */
  readonly responses: A
  readonly handler: (
    call: Call<Record<ParamName<Path>, string>, z.output<Query>, z.output<Body>>,
  ) => Promise<BodyOf<A> | RouteResponse<BodyOf<A>> | FastifyReply>
}

/** One operation of a protocol. */
export type Route = Description & {
  readonly operationId: string
  readonly method: Method
  readonly path: string
  readonly access: Access
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly responses: ResponseSchemas
  readonly handler: (call: Call<never, never, never>) => Promise<unknown>
}

const NoQuery = z.strictObject({})

/**
 * Declares a route. The types of its handler are inferred from its path and schemas.
 *
 * @example
 * route('getWriter', 'GET /v1/writers/{writerId}', 'writers:read', {
 *   summary: 'Read a writer',
 *   description: 'Reads one writer by its id.',
 *   tag: 'writers',
 *   responses: { 200: WriterView },
 *   handler: async ({ tenant, params }) => toWriterView(await getWriter(tenant, params.writerId)),
 * })
 */
export function route<
  O extends Operation,
  A extends ResponseSchemas,
  Query extends z.ZodType = typeof NoQuery,
  Body extends z.ZodType = z.ZodUndefined,
>(operationId: string, operation: O, access: Access, spec: Spec<O, Query, Body, A>): Route {
  const [method, path] = operation.split(' ') as [Method, string]
  return { ...(spec as unknown as Route), operationId, method, path, access }
}

/** A response with a status, headers, or a flag that it is the response of an earlier call with the same idempotency key. */
export class RouteResponse<T> {
  readonly body: T
  readonly options: { readonly status?: number; readonly repeated?: boolean; readonly headers?: Record<string, string> }

  constructor(body: T, options: RouteResponse<T>['options']) {
    this.body = body
    this.options = options
  }
}

export function respond<T>(body: T, options: RouteResponse<T>['options']): RouteResponse<T> {
  return new RouteResponse(body, options)
}

/** One request, as its handler sees it. */
class Call<Params, Query, Body> {
  readonly parts: RouteParts
  readonly request: FastifyRequest
  readonly reply: FastifyReply

  constructor(parts: RouteParts, request: FastifyRequest, reply: FastifyReply) {
    this.parts = parts
    this.request = request
    this.reply = reply
  }

  get params(): Params {
    return this.request.params as Params
  }

  get query(): Query {
    return this.request.query as Query
  }

  get body(): Body {
    return this.request.body as Body
  }

  get principal(): Principal {
    return principalOf(this.request)
  }

  /**
   * The tenant of the API key, for the reader of the key or the one that the request names. No part of a request can name another
   * tenant, nor another reader than that of the key.
   */
  get tenant(): Tenant {
    const { tenantId, reader } = this.principal
    return forReader(this.parts.engine.tenant(tenantId).withReader(reader), this.#namedReader())
  }

  /** The `reader` of a read, from its query or its body. Schemas have checked it. */
  #namedReader(): string | undefined {
    if (this.request.routeOptions.config.readerRule !== 'filtered') return undefined
    const { query, body } = this.request
    for (const from of [query, body]) {
      const { reader } = (from ?? {}) as { reader?: unknown }
      if (typeof reader === 'string') return reader
    }
    return undefined
  }

  /** The actor and the idempotency key of a write. */
  get write(): WriteOptions {
    return writeOptions(this.request)
  }
}

/** Registers a route with Fastify. */
export function mountRoute(app: App, parts: RouteParts, route: Route): void {
  const { method, path, access, isLongLived, consumes, operationId, summary, description, tag } = route
  const [firstStatus] = Object.keys(route.responses)
  const isKeyed = method !== 'GET' && !route.isRead && !route.isUnkeyed
  const isJson = Object.values(route.responses).every((schema) => schema instanceof z.ZodType)
  const isPaged = takesCursor(route)
  app.route({
    method,
    url: route.takesRestOfPath ? toPattern(path).replace(/:\w+$/, '*') : toPattern(path),
    // Not for streams, which do not end, and so have no HEAD response.
    exposeHeadRoute: method === 'GET' && isJson && !isLongLived,
    config: {
      access,
      isKeyed,
      isLongLived: isLongLived === true,
      needsKey: route.needsKey === true,
      readerRule: readerRules[operationId] ?? 'refused',
    },
    schema: {
      operationId,
      summary,
      description,
      tags: [tag],
      querystring: route.query ?? NoQuery,
      ...(route.body === undefined ? {} : { body: route.body }),
      ...(consumes === undefined ? {} : { consumes: [consumes] }),
      response: route.responses,
    },
    ...(isPaged ? { preValidation: async (request) => openCursorOf(request, `${method} ${path}`) } : {}),
    async handler(request, reply) {
      if (route.takesRestOfPath) request.params = { [nameOfRest(path)]: (request.params as { '*': string })['*'] }
      const result = await route.handler(new Call(parts, request, reply) as Call<never, never, never>)
      // Sent already: a stream has taken over the connection.
      if (result === reply || reply.sent) return reply
      const sealed = (body: unknown) => (isPaged ? sealCursorOf(request, `${method} ${path}`, body) : body)
      if (!(result instanceof RouteResponse)) return sendBody(reply.code(Number(firstStatus)), sealed(result))
      const { status = Number(firstStatus), repeated, headers = {} } = result.options
      if (repeated !== undefined) markReplay(request, reply, repeated)
      return sendBody(reply.code(status).headers(headers), sealed(result.body))
    },
  })
}

/** Sends a body as JSON: a large one is rendered in time slices. */
export function sendBody(reply: FastifyReply, body: unknown): FastifyReply | Promise<FastifyReply> {
  if (isLargeBody(body)) {
    if (!reply.hasHeader('content-type')) reply.type('application/json; charset=utf-8')
    return renderLargeBody(body).then((json) => reply.send(json))
  }
  // Null is sent as no body: as JSON it would have a content length, which 204 and 304 must not have.
  return reply.send(body ?? undefined)
}

/** Adds the header that says, to a client that sent an idempotency key, whether this is the response of an earlier call. */
export function markReplay(request: FastifyRequest, reply: FastifyReply, repeated: boolean): void {
  if (request.headers['idempotency-key'] === undefined) return
  reply.header('idempotent-replay', String(repeated))
  reply.header('openwop-idempotent-replay', String(repeated))
}

function nameOfRest(path: string): string {
  return /\{(\w+)\}$/.exec(path)?.[1] ?? ''
}

/** Fastify uses a colon for parameters, so a colon before a verb is escaped, and the parameter before it must end there. */
export function toPattern(path: string): string {
  return path
    .replaceAll(':', '::')
    .replaceAll(/\{(\w+)\}(?=::)/g, ':$1(^[^:]+$)')
    .replaceAll(/\{(\w+)\}/g, ':$1')
}
