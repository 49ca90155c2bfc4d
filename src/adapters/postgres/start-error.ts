import { ColophonError, isColophonError } from '../../core/errors.ts'
import { urlsOfHosts } from './hosts.ts'

/** What the reason is, by the code of the system or of PostgreSQL. */
const reasons: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^ECONNREFUSED$/, 'no server listens there'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'the name of the host is unknown'],
  [/^(EHOSTUNREACH|ENETUNREACH)$/, 'there is no route to the host'],
  [/^ETIMEDOUT$/, 'the server did not answer in time'],
  [/^ECONNRESET$/, 'the server closed the connection'],
  [/^28P01$/, 'the password is wrong'],
  [/^28/, 'the server refuses this user'],
  [/^3D000$/, 'the server does not have this database'],
  [/^53300$/, 'the server has no free connection'],
]

/** A failure to open a database, with the place and the reason. The message never has the password, nor what the server wrote. */
export function withPlace(error: unknown, url: string): unknown {
  if (!isColophonError(error, 'storage_unavailable')) return error
  const { code, message } = (error.cause ?? {}) as { code?: unknown; message?: unknown }
  const known = typeof code === 'string' ? reasons.find(([pattern]) => pattern.test(code)) : undefined
  const isLate = typeof message === 'string' && /timeout/i.test(message)
  const reason = known?.[1] ?? (isLate ? 'the server did not answer in time' : error.message)
  const place = placeOf(url)
  if (place === null) return error
  const details = { ...error.details, ...place, ...(typeof code === 'string' ? { cause: code } : {}) }
  const { host, port, user, database } = place
  const text = `The database "${database}" at ${host}:${port} cannot be opened as user "${user}": ${reason}.`
  return new ColophonError('storage_unavailable', text.replace(/\.\.$/, '.'), { cause: error.cause, details })
}

function placeOf(given: string) {
  const [text = given] = urlsOfHosts(given)
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  const database = decodeURIComponent(url.pathname.slice(1))
  const user = decodeURIComponent(url.username)
  return { host: url.hostname || 'localhost', port: url.port || '5432', user, database: database || user }
}
