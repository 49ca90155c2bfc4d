import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Principal } from '../app/authenticate.ts'
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

/** What the OpenAPI document says about an operation beside its shapes. */
type Description = {
  readonly operationId: string
  /** A few words, as a heading. */
  readonly summary: string
  readonly description: string
  readonly tag: string
}

type Spec<Path extends string, Query extends z.ZodType, Body extends z.ZodType, A extends Answers> = Description & {
  readonly method: Method
  /** Spelled as in the OpenAPI document: `/v1/runs/{runId}:pause`. */
  readonly path: Path
  readonly access: Access
  /** Without one, any query parameter is refused. */
  readonly query?: Query
  readonly body?: Body
  /** The media type of the body, when it is not JSON. */
  readonly consumes?: string
  /** By status. The first is the status of an answer that names none. */
  readonly answers: A
  /** Stays open until the client leaves, or calls this server again: it takes no slot among the requests of its tenant. */
  readonly isLongLived?: true
  /** Changes nothing although it is no GET: it takes no idempotency key. */
  readonly isRead?: true
  /** A repeat is harmless, or refused by what the first call did: it takes no idempotency key. */
  readonly isUnkeyed?: true
  readonly handler: (
    call: Call<Record<ParamName<Path>, string>, z.output<Query>, z.output<Body>>,
  ) => Promise<BodyOf<A> | Answer<BodyOf<A>> | FastifyReply>
}

/** One operation of a wire. */
export type Route = Description & {
  readonly method: Method
  readonly path: string
  readonly access: Access
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly consumes?: string
  readonly answers: Answers
  readonly isLongLived?: true
  readonly isRead?: true
  readonly isUnkeyed?: true
  readonly handler: (call: Call<never, never, never>) => Promise<unknown>
}

const NoQuery = z.strictObject({})

/** States a route; the types of its handler follow from its path and its schemas. */
export function route<
  Path extends string,
  A extends Answers,
  Query extends z.ZodType = typeof NoQuery,
  Body extends z.ZodType = z.ZodUndefined,
>(spec: Spec<Path, Query, Body, A>): Route {
  return spec as unknown as Route
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
      ...(path.includes('{') ? { params: paramsOf(path) } : {}),
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

function paramsOf(path: string): z.ZodType {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  return z.strictObject(Object.fromEntries(names.map((name) => [name, z.string()])))
}
