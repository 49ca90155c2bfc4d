import type { Socket } from 'node:net'
import cors from '@fastify/cors'
import Fastify, { type ConnectionError, type FastifyServerOptions } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { createAuthenticator } from '../app/access/authenticate.ts'
import type { HostFacts } from '../app/capabilities.ts'
import type { Engine } from '../app/engine.ts'
import { ColophonError } from '../core/errors.ts'
import type { TokenVerifier } from '../ports/token-verifier.ts'
import { type AccessOptions, guardRoutes } from './access.ts'
import { limitBytes } from './byte-budget.ts'
import { ChangeHubs } from './change-hub.ts'
import { consoleRoutes } from './console.ts'
import { createErrorSender, type SendError } from './error-response.ts'
import { checkHosts } from './host-check.ts'
import { limitJsonValues } from './json-body.ts'
import { KnownPaths } from './known-paths.ts'
import { measure } from './metrics.ts'
import { describeApi } from './openapi.ts'
import { addProtectedResource, type ProtectedResource } from './protected-resource.ts'
import { type LogDestination, loggerOptions, RequestLog } from './request-log.ts'
import type { App, RouteParts } from './route-context.ts'
import { addSecurityHeaders, setSecurityHeaders } from './security-headers.ts'
import { logSlowWork } from './slow-log.ts'
import { createStreamSlots } from './stream-slots.ts'
import { traceRequests } from './tracing.ts'
import { limitUnreadResponses } from './unread-responses.ts'
import { compileValidator } from './validator.ts'
import { mountWire, type Wire } from './wire.ts'

export type HttpServerOptions = AccessOptions & {
  readonly version: string
  /** The protocols. The first that owns a path formats its errors. */
  readonly wires: readonly Wire[]
  readonly bodyLimitBytes: number
  /** Bytes of request bodies per key and hour; 0 is unlimited. */
  readonly keyBytesPerHour: number
  /** Event streams that one key may have open. */
  readonly streamsPerKey: number
  readonly corsOrigins: readonly string[]
  /** Allowed Host names, in addition to loopback names and IP addresses. */
  readonly allowedHosts: readonly string[]
  readonly logLevel: string
  readonly logTo?: LogDestination
  /** Requests and jobs that take at least this long are logged as slow; 0 is off. */
  readonly slowMs: number
  /** Access tokens of an issuer, beside API keys. */
  readonly oauth?: (ProtectedResource & { readonly tokens: TokenVerifier }) | null
  readonly facts: () => Promise<HostFacts>
  /** The folder of the built console. */
  readonly consoleFolder: string
  /** Mounts the routes for conformance tests. */
  readonly addSeams?: (app: App, parts: RouteParts) => void
}

/** Limits of connections and requests. The body limit is configured. */
const httpLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 72_000,
  connectionsMax: 20_000,
  paramCharactersMax: 6_000,
} as const

/** Creates the HTTP server: guards and routes around the use cases. It has no rules about memory of its own. */
export async function createHttpServer(engine: Engine, options: HttpServerOptions): Promise<App> {
  const sendError = createErrorSender(options.wires)
  const app = Fastify(fastifyOptions(engine, options, sendError)).withTypeProvider<ZodTypeProvider>()
  const stopping = new AbortController()
  const authenticate = createAuthenticator(engine, options.staticKeys, options.oauth?.tokens ?? null)
  const { facts, version, corsOrigins } = options
  const parts: RouteParts = {
    engine,
    stopping: stopping.signal,
    changeHubs: new ChangeHubs(engine),
    streamSlots: createStreamSlots({
      perKey: options.streamsPerKey,
      perTenant: (tenantId) => engine.quotas.known(tenantId).streams,
    }),
    requestQueue: options.requestQueue,
    authenticate,
    facts,
    version,
    corsOrigins,
  }
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error))
  const knownPaths = new KnownPaths()
  knownPaths.watch(app)
  app.setNotFoundHandler((request, reply) => {
    const error = knownPaths.refuse(request.method, request.url)
    if (error.code === 'method_not_allowed') reply.header('allow', String(error.details.allowed).replaceAll(',', ', '))
    return sendError(request, reply, error)
  })
  app.server.headersTimeout = httpLimits.headersTimeoutMs
  app.server.maxConnections = httpLimits.connectionsMax
  app.removeContentTypeParser(['text/plain', 'application/json'])
  limitJsonValues(app)
  // Thrown by what the signal interrupts, so that its client knows that it may retry elsewhere.
  const stoppingError = new ColophonError('closed', 'This server is stopping.')
  app.addHook('preClose', async () => stopping.abort(stoppingError))
  app.addHook('onRequest', (_request, reply, done) => {
    if (!stopping.signal.aborted) return done()
    reply.header('connection', 'close')
    done(stoppingError)
  })

  traceRequests(app)
  addSecurityHeaders(app)
  measure(app, engine, options.requestQueue)
  logSlowWork(app, options.slowMs)
  checkHosts(app, options.allowedHosts)
  if (options.corsOrigins.length > 0) {
    const origin = options.corsOrigins.includes('*') ? '*' : [...options.corsOrigins]
    await app.register(cors, {
      origin,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      maxAge: 600,
      exposedHeaders: [
        'ETag',
        'Idempotent-Replay',
        'Mcp-Session-Id',
        'OpenWOP-Idempotent-Replay',
        'OpenWOP-Version',
        'Retry-After',
        'X-Request-Id',
      ],
    })
  }
  for (const wire of options.wires) wire.guard?.(app)
  guardRoutes(app, engine, authenticate, options)
  limitBytes(app, options.keyBytesPerHour, engine.system.now)
  limitUnreadResponses(app)
  closeUnusedConnections(app)
  describeApi(app, options.version, options.wires)
  consoleRoutes(app, options.consoleFolder)
  if (options.oauth) addProtectedResource(app, options.oauth)
  for (const wire of options.wires) mountWire(app, parts, wire)
  options.addSeams?.(app, parts)
  return app
}

/** Paths of workspace files have slashes, and clients send them as they are or as %2F. */
function encodeSlashes(url: string): string {
  const root = '/v1/host/workspace/files/'
  if (!url.startsWith(root)) return url
  const [path = '', ...query] = url.slice(root.length).split('?')
  return [root + path.replaceAll('/', '%2F'), ...query].join('?')
}

function fastifyOptions(engine: Engine, options: HttpServerOptions, sendError: SendError): FastifyServerOptions {
  return {
    bodyLimit: options.bodyLimitBytes,
    requestTimeout: httpLimits.requestTimeoutMs,
    keepAliveTimeout: httpLimits.keepAliveTimeoutMs,
    connectionTimeout: 0,
    routerOptions: { maxParamLength: httpLimits.paramCharactersMax, ignoreTrailingSlash: true },
    rewriteUrl: ({ url = '' }) => encodeSlashes(url),
    genReqId: () => engine.system.newId('req'),
    requestIdHeader: false,
    // Set here and not on the server, so that Fastify does not load its own compilers, a tenth of a start.
    schemaController: {
      compilersFactory: {
        buildValidator: () => compileValidator as never,
        // Responses are built from typed values. Validating them again would cost a third of a request.
        buildSerializer: () => () => (data) => JSON.stringify(data),
      },
    },
    forceCloseConnections: 'idle',
    // Requests that arrive while the server stops are refused by our own hook, with a code and `Retry-After`.
    return503OnClosing: false,
    // Errors before routing: the default response quotes the path.
    frameworkErrors(error, request, reply) {
      setSecurityHeaders(request, reply)
      void sendError(request, reply, error)
    },
    // The default handler logs the raw bytes of a malformed request, which may contain a key.
    clientErrorHandler: (error, socket) => answerMalformed(error, socket, engine.system.newId('req')),
    logger: loggerOptions(options.logLevel, options.logTo),
    logController: new RequestLog(),
  }
}

/** Ends connections without a request when the server stops: browsers open some in advance, and Node does not count them as idle. */
function closeUnusedConnections(app: App): void {
  const unused = new Set<Socket>()
  // One function for all sockets, removed with the first request: there may be thousands of streams.
  function forget(this: Socket): void {
    unused.delete(this)
  }
  app.server.on('connection', (socket) => {
    unused.add(socket)
    socket.on('close', forget)
  })
  app.server.on('request', ({ socket }) => {
    if (unused.delete(socket)) socket.off('close', forget)
  })
  app.addHook('preClose', async () => {
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy()
  })
}

const statusOfMalformed: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

function answerMalformed(error: ConnectionError, socket: Socket, requestId: string): void {
  const status = statusOfMalformed[error.code ?? ''] ?? '400 Bad Request'
  const body = JSON.stringify({ error: 'validation_error', message: 'The request is not valid HTTP.' })
  const head = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\nx-request-id: ${requestId}`
  if (socket.writable && !isAnswered(socket))
    socket.write(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${isHeadRequest(error) ? '' : body}`)
  socket.destroy(error)
}

/**
 * Whether a request of which only the body is malformed has its response already, such as a refusal of its headers. A second response
 * would be read as part of the first. Node's own handler checks the same field.
 */
function isAnswered(socket: Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null }): boolean {
  return socket._httpMessage?.headersSent === true
}

/** A client reads a body after a HEAD response as the next response, so none is sent. */
function isHeadRequest(error: ConnectionError): boolean {
  const packet: unknown = error.rawPacket
  return Buffer.isBuffer(packet) && packet.subarray(0, 5).toString('latin1') === 'HEAD '
}
