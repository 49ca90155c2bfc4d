import type { FastifyRequest } from 'fastify'
import { ColophonError } from '../core/errors.ts'

/** Only the API of this server gets the cookie: not MCP, not other protocols, not the files of the console. */
const cookiePath = '/v1'

/** Cookies are shared by all ports of a host, so the name has the port: two servers on one machine do not log each other out. */
function cookieName({ headers }: FastifyRequest): string {
  const port = /:(\d+)$/.exec(headers.host ?? '')?.[1]
  return port === undefined ? 'colophon_session' : `colophon_session_${port}`
}

/** The text of the session in the cookie of a request, if it has one. */
export function sessionOf(request: FastifyRequest): string | undefined {
  const { cookie } = request.headers
  if (cookie === undefined) return undefined
  const prefix = `${cookieName(request)}=`
  const found = cookie
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix))
  return found?.slice(prefix.length)
}

/** The header that stores a session in the browser until it is closed. Scripts cannot read it, and other sites cannot send it. */
export function sessionCookie(request: FastifyRequest, text: string): string {
  return `${cookieName(request)}=${text}; ${attributesOf(request)}`
}

/** The header that removes the session from the browser. */
export function endedSessionCookie(request: FastifyRequest): string {
  return `${cookieName(request)}=; Max-Age=0; ${attributesOf(request)}`
}

function attributesOf({ headers }: FastifyRequest): string {
  // TLS ends at a proxy, so the page that the browser shows says whether it was used.
  const isSecure = headers.origin?.startsWith('https:') === true
  return `Path=${cookiePath}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
}

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * What a session may do on this request. The browser adds the cookie to requests that any page makes it send, so a write must come from a
 * page of this server: the browser says so in `Sec-Fetch-Site`, or in `Origin` on a page without TLS.
 */
export function checkSessionUse(request: FastifyRequest): void {
  const { url = cookiePath, config } = request.routeOptions
  if (config.needsKey === true || !url.startsWith(`${cookiePath}/`))
    throw new ColophonError('key_required', 'A session cannot do this: send the API key itself.')
  if (readingMethods.has(request.method)) checkOrigin(request, 'none')
  else checkOrigin(request)
}

/** Refuses a request that a page of another origin made, and one that does not say where it comes from. */
function checkOrigin({ headers }: FastifyRequest, alsoAllowed?: 'none'): void {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  const isOwn =
    site === undefined
      ? origin === undefined
        ? alsoAllowed === 'none'
        : URL.canParse(origin) && new URL(origin).host === host
      : site === 'same-origin' || site === alsoAllowed
  if (!isOwn) throw new ColophonError('origin_not_allowed', 'Requests with a session must come from the console.')
}
