import type { Config } from '../config/settings.ts'
import type { Server } from './serve.ts'

/** The longest that open requests may take when the server is stopped. */
const drainMs = 9_000
const idleSweepMs = 100

export type Listening = {
  readonly url: string
  /** The key that a first start makes, to be shown once; null on every later start. */
  readonly firstKey: string | null
}

/** Opens the port. `onUrl` is called as soon as the address is known, before the tenant `default` is prepared. */
export async function listen(
  { app, prepare }: Server,
  { host, port }: Pick<Config, 'host' | 'port'>,
  onUrl: (url: string) => void = () => {},
): Promise<Listening> {
  await app.listen({ host, port })
  const address = app.server.address()
  const actualPort = address !== null && typeof address === 'object' ? address.port : port
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`
  onUrl(url)
  // Only now: a start that fails must not use up the one time that the first key is shown.
  return { url, firstKey: await prepare() }
}

/** Closes the server. Streams end at once; ordinary requests get `drainMs` to finish. */
export async function drain({ app, close }: Server): Promise<void> {
  const overdue = setTimeout(() => app.server.closeAllConnections(), drainMs)
  // A connection whose last answer went out after the stop is idle only now, and its client would keep it.
  const sweep = setInterval(() => app.server.closeIdleConnections(), idleSweepMs)
  await close()
  clearTimeout(overdue)
  clearInterval(sweep)
}
