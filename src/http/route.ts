import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Principal } from '../app/access/authenticate.ts'
import type { WriteOptions } from '../app/commit.ts'
import type { Tenant } from '../app/tenant.ts'
import { type Access, type App, principalOf, type RouteParts, writeOptions } from './context.ts'
import { markReplay } from './replay.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type ParamName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamName<Rest>
  : never
/** Answers that are not JSON name their media type. */
type Media = { readonly content: Readonly<Record<string, { readonly schema: z.ZodType }>> }
type Answers = Readonly<Record<number, z.ZodType | Media>>
type BodyOf<A extends Answers> = {
  [Status in keyof A]: A[Status] extends z.ZodType ? z.output<A[Status]> : never
}[keyof A]

/** Method and path, spelled as in the OpenAPI document: `POST /v1/runs/{runId}:pause`. */
type Operation = `${Method} /${string}`

/** What a route is beside its operation, its access and its handler. */
type Description = {
  /** A few words, as a heading. */
  readonly summary: string
  readonly description: string
  readonly tag: string
  /** The media type of the body, when it is not JSON. */
  readonly consumes?: string
  /** Stays open until the client leaves, or calls this server again: it takes no slot among the requests of its tenant. */
  readonly isLongLived?: true
  /** Changes nothing although it is no GET: it takes no idempotency key. */
  readonly isRead?: true
  /** A repeat is harmless, or refused by what the first call did: it takes no idempotency key. */
  readonly isUnkeyed?: true
}

type Spec<Path extends string, Query extends z.ZodType, Body extends z.ZodType, A extends Answers> = Description & {
  /** Without one, any query parameter is refused. */
  readonly query?: Query
  readonly body?: Body
  /** By status. The first is the status of an answer that names none. */
  readonly answers: A
  readonly handler: (
    call: Call<Record<ParamName<Path>, string>, z.output<Query>, z.output<Body>>,
  ) => Promise<BodyOf<A> | Answer<BodyOf<A>> | FastifyReply>
}

/** One operation of a wire. */
export type Route = Description & {
  readonly operationId: string
  readonly method: Method
  readonly path: string
  readonly access: Access
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly answers: Answers
  readonly handler: (call: Call<never, never, never>) => Promise<unknown>
}

const NoQuery = z.strictObject({})

/** States a route; the types of its handler follow from its path and its schemas. */
export function route<
  O extends Operation,
  A extends Answers,
  Query extends z.ZodType = typeof NoQuery,
  Body extends z.ZodType = z.ZodUndefined,
>(operationId: string, operation: O, access: Access, spec: Spec<O, Query, Body, A>): Route {
  const [method, path] = operation.split(' ') as [Method, string]
  return { ...(spec as unknown as Route), operationId, method, path, access }
}

/** A body with a status, or with whether an earlier call with the same idempotency key gave it already. */
export class Answer<T> {
  readonly body: T
  readonly options: { readonly status?: number; readonly repeated?: boolean; readonly headers?: Record<string, string> }

  constructor(body: T, options: Answer<T>['options']) {
    this.body = body
    this.options = options
  }
}

export function answer<T>(body: T, options: Answer<T>['options']): Answer<T> {
  return new Answer(body, options)
}

/** One request, as a handler sees it. */
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

  /** The tenant of the key: no part of a request can name another. */
  get tenant(): Tenant {
    return this.parts.engine.tenant(this.principal.tenantId)
  }

  /** The actor and the idempotency key of a write. */
  get write(): WriteOptions {
    return writeOptions(this.request)
  }
}

export function mountRoute(app: App, parts: RouteParts, route: Route): void {
  const { method, path, access, answers, isLongLived, consumes, operationId, summary, description, tag } = route
  const [firstStatus] = Object.keys(answers)
  const isKeyed = method !== 'GET' && !route.isRead && !route.isUnkeyed
  const isJson = Object.values(answers).every((answer) => answer instanceof z.ZodType)
  app.route({
    method,
    url: toPattern(path),
    // A stream has no end that a head could come from.
    exposeHeadRoute: method === 'GET' && isJson && !isLongLived,
    config: { access, isKeyed, ...(isLongLived ? { waits: true } : {}) },
    schema: {
      operationId,
      summary,
      description,
      tags: [tag],
      querystring: route.query ?? NoQuery,
      ...(route.body === undefined ? {} : { body: route.body }),
      ...(consumes === undefined ? {} : { consumes: [consumes] }),
      response: answers,
    },
    async handler(request, reply) {
      const result = await route.handler(new Call(parts, request, reply) as Call<never, never, never>)
      if (result === reply) return reply
      // Null is no body: as JSON it would have a length, which 204 and 304 must not state.
      if (!(result instanceof Answer)) return reply.code(Number(firstStatus)).send(result ?? undefined)
      const { status = Number(firstStatus), repeated, headers = {} } = result.options
      if (repeated !== undefined) markReplay(request, reply, repeated)
      return reply
        .code(status)
        .headers(headers)
        .send(result.body ?? undefined)
    },
  })
}

/** The framework takes a colon for a parameter: a verb behind one needs the parameter to end there. */
function toPattern(path: string): string {
  return path
    .replaceAll(':', '::')
    .replaceAll(/\{(\w+)\}(?=::)/g, ':$1(^[^:]+$)')
    .replaceAll(/\{(\w+)\}/g, ':$1')
}
