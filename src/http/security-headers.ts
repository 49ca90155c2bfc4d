import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from './route-context.ts'

const headers: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
}

const strictPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"
/** For the documentation pages: scripts and styles from this server only. */
const docsPolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"

/** Adds the security headers, the request id and `cache-control: no-store` to every response. */
export function addSecurityHeaders(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    setSecurityHeaders(request, reply)
    done()
  })
}

/** For a response before routing, which runs no hook. */
export function setSecurityHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(headers)
  reply.header('content-security-policy', request.url.startsWith('/docs') ? docsPolicy : strictPolicy)
  reply.header('x-request-id', request.id)
  // Memory must not be cached by proxies or browsers. Discovery overrides this.
  reply.header('cache-control', 'no-store')
}
