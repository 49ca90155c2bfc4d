import { isIP } from 'node:net'
import { ColophonError } from '../core/errors.ts'
import type { App } from './context.ts'

/**
 * Refuses requests for a name that is not this server's. A page on the web can point a name of its own to this address (DNS
 * rebinding); the browser then takes this server for a part of that page, and sends the page's name as Host. An address cannot be
 * pointed elsewhere, so it passes, and so do loopback names.
 */
export function checkHosts(app: App, allowedHosts: readonly string[]): void {
  const allowed = new Set(allowedHosts)
  app.addHook('onRequest', async (request) => {
    if (isAllowedHost(request.headers.host, allowed)) return
    throw new ColophonError('host_not_allowed', 'The Host header has a name that this server does not go by.')
  })
}

/** Without a Host (HTTP/1.0) no name was asked for: only programs do that, browsers always send one. */
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

/** The name as browsers write it: lower case, international names in ASCII, addresses in their usual form. Null for anything else. */
function parseHost(host: string): { readonly name: string; readonly withPort: string } | null {
  const url = `http://${host}`
  if (/[\s/\\?#@]/.test(host) || !URL.canParse(url)) return null
  const { hostname, port } = new URL(url)
  const name = hostname.replace(/\.$/, '')
  return { name, withPort: `${name}:${port || '80'}` }
}
