import type { Config } from '../config/settings.ts'
import { flushLog } from '../http/request-log.ts'
import type { Server } from './serve.ts'

/** How long open requests may take after the server begins to stop. */
const drainMs = 9_000
const idleSweepMs = 100

export type Listening = {
  readonly url: string
  /** The API key that the first start creates, to be shown once; null on every later start. */
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
  // Only after listening succeeded: the first key is shown once, and a failed start would lose it.
  return { url, firstKey: await prepare() }
}

/** Closes the server gracefully. Streams end at once; other requests get `drainMs` to complete. */
export async function drain({ app, close }: Server): Promise<void> {
  const overdue = setTimeout(() => app.server.closeAllConnections(), drainMs)
  // A connection whose last response was sent after the stop is idle now, and its client would keep it open.
  const sweep = setInterval(() => app.server.closeIdleConnections(), idleSweepMs)
  await close()
  clearTimeout(overdue)
  clearInterval(sweep)
  await flushLog(app.log)
}
