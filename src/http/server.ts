import type { Socket } from 'node:net'
import cors from '@fastify/cors'
import Fastify, { type ConnectionError, type FastifyServerOptions } from 'fastify'
import { validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import { createAuthenticator } from '../app/access/authenticate.ts'
import type { HostFacts } from '../app/capabilities.ts'
import type { Engine } from '../app/engine.ts'
import { ColophonError } from '../core/errors.ts'
import { type AccessOptions, guardRoutes } from './access.ts'
import { limitBytes } from './byte-budget.ts'
import { ChangeHubs } from './change-hub.ts'
import { consoleRoutes } from './console.ts'
import type { App, RouteParts } from './context.ts'
import { createErrorSender, type SendError } from './errors.ts'
import { checkHosts } from './host-check.ts'
import { boundJsonBodies } from './json-body.ts'
import { measure } from './metrics.ts'
import { hearNeighbours } from './neighbours.ts'
import { describeApi } from './openapi.ts'
import { addSecurityHeaders } from './security-headers.ts'
import { logSlowness } from './slow-log.ts'
import { createStreamSlots, type StreamLimits } from './stream-slots.ts'
import { traceRequests } from './tracing.ts'
import { boundUnreadAnswers } from './unread-answers.ts'
import { mountWire, type Wire } from './wire.ts'

/** Where log lines go, one call for each. */
export type LogDestination = { write(line: string): void }

export type HttpOptions = AccessOptions & {
  readonly version: string
  /** In the order in which they are asked whether they own a path. */
  readonly wires: readonly Wire[]
  readonly bodyLimitBytes: number
  /** What a key may send in an hour; 0 is any amount. */
  readonly keyBytesPerHour: number
  readonly streams: StreamLimits
  readonly corsOrigins: readonly string[]
  /** Names of this server beside loopback ones and addresses. */
  readonly allowedHosts: readonly string[]
  readonly logLevel: string
  readonly logTo?: LogDestination
  /** From when on a request or a job is slow; 0 is never. */
  readonly slowMs: number
  readonly facts: () => Promise<HostFacts>
  /** Where the built console lies. */
  readonly consoleFolder: string
  /** Mounts what only a conformance run may use. */
  readonly addSeams?: (app: App, parts: RouteParts) => void
}

/** Limits of one connection and one request; the body's is configured. */
const httpLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 72_000,
  connectionsMax: 20_000,
  paramCharactersMax: 6_000,
} as const

/** The HTTP server: guards and routes around the use cases. It holds no rule of its own. */
export async function createHttpServer(engine: Engine, options: HttpOptions): Promise<App> {
  const sendError = createErrorSender(options.wires)
  const app = Fastify(fastifyOptions(engine, options, sendError)).withTypeProvider<ZodTypeProvider>()
  const stopping = new AbortController()
  const authenticate = createAuthenticator(engine, options.staticKeys)
  const { facts, version, corsOrigins } = options
  const parts: RouteParts = {
    engine,
    stopping: stopping.signal,
    changeHubs: new ChangeHubs(engine),
    streamSlots: createStreamSlots(options.streams),
    authenticate,
    facts,
    version,
    corsOrigins,
  }
  app.setValidatorCompiler(validatorCompiler)
  // Answers are built by our own code from typed values; checking them again would cost a third of a request.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error))
  app.setNotFoundHandler((request, reply) => sendError(request, reply, unknownPath(request.url)))
  app.server.headersTimeout = httpLimits.headersTimeoutMs
  app.server.maxConnections = httpLimits.connectionsMax
  app.removeContentTypeParser(['text/plain', 'application/json'])
  boundJsonBodies(app)
  app.addHook('preClose', async () => stopping.abort())
  app.addHook('onRequest', async (_request, reply) => {
    if (!stopping.signal.aborted) return
    reply.header('connection', 'close')
    throw new ColophonError('closed', 'This server is stopping.')
  })

  traceRequests(app)
  addSecurityHeaders(app)
  measure(app, engine, options.turns)
  logSlowness(app, options.slowMs)
  checkHosts(app, options.allowedHosts)
  if (options.corsOrigins.length > 0) {
    const origin = options.corsOrigins.includes('*') ? '*' : [...options.corsOrigins]
    await app.register(cors, {
      origin,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      maxAge: 600,
      exposedHeaders: ['Idempotent-Replay', 'openwop-Idempotent-Replay', 'Retry-After', 'X-Request-Id'],
    })
  }
  hearNeighbours(app, engine.storage, options.turns)
  guardRoutes(app, engine, authenticate, options)
  limitBytes(app, options.keyBytesPerHour, engine.system.now)
  boundUnreadAnswers(app)
  await describeApi(app, options.version, options.wires)
  consoleRoutes(app, options.consoleFolder)
  for (const wire of options.wires) mountWire(app, parts, wire)
  options.addSeams?.(app, parts)
  return app
}

/** Roots of OpenWOP: without their version they are a mistake that can be named. */
const versionedRoot = /^\/(runs|workflows|interrupts|webhooks|agents|audit)([/:?]|$)/

function unknownPath(url: string): ColophonError {
  if (!versionedRoot.test(url)) return new ColophonError('not_found', 'There is nothing at this path.')
  return new ColophonError('validation_error', 'Paths of the protocol begin with their version: /v1.')
}

function fastifyOptions(engine: Engine, options: HttpOptions, sendError: SendError): FastifyServerOptions {
  return {
    bodyLimit: options.bodyLimitBytes,
    requestTimeout: httpLimits.requestTimeoutMs,
    keepAliveTimeout: httpLimits.keepAliveTimeoutMs,
    connectionTimeout: 0,
    routerOptions: { maxParamLength: httpLimits.paramCharactersMax, ignoreTrailingSlash: true },
    genReqId: () => engine.system.newId('req'),
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    // What still comes while the server stops is refused by a hook of ours, with a code and the time to come again.
    return503OnClosing: false,
    // Paths that do not even reach a route: the default answer repeats them.
    frameworkErrors: (error, request, reply) => void sendError(request, reply, error),
    // The default one logs the raw bytes of a malformed request, and with them whatever key it holds.
    clientErrorHandler: answerMalformed,
    logger: {
      level: options.logLevel,
      ...(options.logTo ? { stream: options.logTo } : {}),
      // Paths hold refs and ids, headers hold keys: a log line has the route's pattern instead.
      serializers: {
        req: (request) => ({ method: request.method, route: request.routeOptions?.url ?? 'none' }),
        res: (reply) => ({ status: reply.statusCode }),
      },
    },
  }
}

const statusOfMalformed: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

function answerMalformed(error: ConnectionError, socket: Socket): void {
  const status = statusOfMalformed[error.code ?? ''] ?? '400 Bad Request'
  const body = JSON.stringify({ error: 'validation_error', message: 'The request is not valid HTTP.' })
  const head = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`
  if (socket.writable) socket.write(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${asksForHead(error) ? '' : body}`)
  socket.destroy(error)
}

/** A body after an answer to HEAD is taken for the next answer, or for an attack. */
function asksForHead(error: ConnectionError): boolean {
  const packet: unknown = error.rawPacket
  return Buffer.isBuffer(packet) && packet.subarray(0, 5).toString('latin1') === 'HEAD '
}
