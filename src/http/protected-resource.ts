import { scopes } from '../core/access/scopes.ts'
import type { App } from './route-context.ts'

/** The server as an OAuth 2.1 protected resource: whose tokens it accepts, and for which resource. */
export type ProtectedResource = { readonly issuer: string; readonly resource: string }

const wellKnown = '/.well-known/oauth-protected-resource'

/** Serves the metadata of the resource (RFC 9728), and names it in every 401, so that a client finds the issuer by itself. */
export function addProtectedResource(app: App, { issuer, resource }: ProtectedResource): void {
  const { origin, pathname } = new URL(resource)
  const path = pathname === '/' ? '' : pathname.replace(/\/$/, '')
  const metadata = {
    resource,
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    scopes_supported: scopes,
    resource_name: 'Colophon',
  }
  for (const url of new Set([wellKnown, wellKnown + path]))
    app.route({
      method: 'GET',
      url,
      config: { access: 'public' },
      schema: { hide: true },
      handler: async (_request, reply) => reply.header('access-control-allow-origin', '*').send(metadata),
    })
  const named = `resource_metadata="${origin}${wellKnown}${path}"`
  app.addHook('onSend', async ({ headers }, reply) => {
    if (reply.statusCode !== 401) return
    const error = headers.authorization === undefined ? '' : ', error="invalid_token"'
    reply.header('www-authenticate', `Bearer ${named}${error}`)
  })
}
