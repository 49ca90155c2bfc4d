import { isIP } from 'node:net'
import { ColophonError } from '../core/errors.ts'
import type { App } from './route-context.ts'

/**
 * Refuses requests whose Host header names another server, against DNS rebinding: a web page points its own name to this address, and
 * the browser then treats this server as part of that page. IP addresses and loopback names cannot be rebound, so they pass.
 */
export function checkHosts(app: App, allowedHosts: readonly string[]): void {
  const allowed = new Set(allowedHosts)
  /** The header that passed last: most clients send the same one in every request. */
  let lastAllowed: string | undefined
  app.addHook('onRequest', (request, _reply, done) => {
    const { host } = request.headers
    if (host !== lastAllowed && !isAllowedHost(host, allowed))
      return done(new ColophonError('host_not_allowed', 'The Host header names another server.'))
    lastAllowed = host
    done()
  })
}

/** Whether a Host header is allowed. A request without one (HTTP/1.0) passes: browsers always send it. */
export function isAllowedHost(host: string | undefined, allowed: ReadonlySet<string>): boolean {
  if (!host || allowed.has('*')) return true
  const named = parseHost(host)
  if (named === null) return false
  const { name, withPort } = named
  if (isIP(name.replaceAll(/^\[|\]$/g, '')) !== 0 || /(?:^|\.)localhost$/.test(name)) return true
  if (allowed.has(name) || allowed.has(withPort)) return true
  const parent = name.indexOf('.')
  return parent > 0 && allowed.has(`*${name.slice(parent)}`)
}

/** The normalised host name: lower case, international names in ASCII, addresses in their usual form. Null if it is malformed. */
function parseHost(host: string): { readonly name: string; readonly withPort: string } | null {
  const url = `http://${host}`
  if (/[\s/\\?#@]/.test(host) || !URL.canParse(url)) return null
  const { hostname, port } = new URL(url)
  const name = hostname.replace(/\.$/, '')
  return { name, withPort: `${name}:${port || '80'}` }
}
