import type { Principal } from '../../../app/access/authenticate.ts'
import { readKey } from '../../../app/access/authenticate.ts'
import { keyName } from '../../../app/access/keys.ts'
import { endSession, openSession } from '../../../app/access/sessions.ts'
import type { Tenant } from '../../../app/tenant.ts'
import { toInstant } from '../../../core/check.ts'
import { respond, route } from '../../../http/route.ts'
import { endedSessionCookie, sessionCookie } from '../../../http/session-cookie.ts'
import { EndedSession, SessionView } from '../schemas/session.ts'

const path = '/v1/host/colophon/session'
const tag = 'keys'

export const sessionRoutes = [
  route('getSession', `GET ${path}`, 'key', {
    summary: 'Get the caller',
    description: 'The tenant of the key, its name and its scopes.',
    tag,
    responses: { 200: SessionView },
    handler: ({ tenant, principal }) => viewCaller(tenant, principal),
  }),
  route('openSession', `POST ${path}`, 'key', {
    summary: 'Open a session',
    description:
      'For the console: sets a cookie that stands for the key in this browser, for at most 12 hours. The session has the rights that its key has at each request, and ends with it. It is refused on `/mcp`, on `/mem0`, and for what outlasts it: keys, webhooks, and tokens of interrupts. A write with it must come from a page of this server.',
    tag,
    needsKey: true,
    isUnkeyed: true,
    responses: { 201: SessionView },
    async handler({ tenant, principal, request, write }) {
      const key = readKey(request.headers.authorization) ?? ''
      const { text, expiresAt } = await openSession(tenant, { ...principal, key }, write)
      const view = await viewCaller(tenant, { ...principal, endsAt: expiresAt })
      return respond(view, { headers: { 'set-cookie': sessionCookie(request, text) } })
    },
  }),
  route('endSession', `DELETE ${path}`, 'key', {
    summary: 'End the session',
    description: 'Ends the session of the cookie and removes the cookie. Without a session, nothing changes.',
    tag,
    isUnkeyed: true,
    responses: { 200: EndedSession },
    async handler({ tenant, principal, request, write }) {
      const { sessionId } = principal
      if (sessionId !== undefined) await endSession(tenant, sessionId, write)
      return respond({ ended: sessionId !== undefined }, { headers: { 'set-cookie': endedSessionCookie(request) } })
    },
  }),
]

async function viewCaller(tenant: Tenant, { keyId, scopes, reader, endsAt }: Principal) {
  return {
    tenant: tenant.id,
    keyId,
    name: await keyName(tenant, keyId),
    scopes: [...scopes],
    ...(reader === null ? {} : { reader }),
    ...(endsAt === null ? {} : { endsAt: toInstant(endsAt) }),
  }
}
